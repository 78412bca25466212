package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// set is the same data in every form that some program reads.
type set struct {
	name        string
	dir         string   // transcripts
	files       []string // all of them
	bytes       int64
	lines       int64
	signals     string // what retro-scan writes about them, many times over
	records     int64  // lines of it
	withVerdict string // and what retro-score --tee adds
}

const (
	// bytesPerFile is the mean size of a generated transcript: sets of all sizes
	// have the same shape, and 1 GB is 200 files.
	bytesPerFile = 5_000_000
	// copies is how often the signals of a set are repeated under other session
	// ids for the programs that read signals: a set has so few that the start of a
	// process would be all there is to see.
	copies = 200
)

// makeSet makes a set unless it is there. What programs wrote is made anew.
func (b *bench) makeSet(name string) (*set, error) {
	size, err := parseSize(name)
	if err != nil {
		return nil, err
	}
	s := &set{name: name, dir: filepath.Join(b.data, "set-"+name)}
	if _, err := os.Stat(s.dir); err != nil {
		part := s.dir + ".part"
		os.RemoveAll(part)
		gen := exec.Command(filepath.Join(b.tools, "gen"), "-out", part, "-seed", "1", "-files", strconv.FormatInt(max(2, size/bytesPerFile), 10),
			"-total", strconv.FormatInt(size, 10), "-large", strconv.FormatInt(size/5, 10))
		if out, err := gen.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("gen: %v\n%s", err, out)
		}
		if err := os.Rename(part, s.dir); err != nil {
			return nil, err
		}
	}
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			s.files = append(s.files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, b.makeStreams(s)
}

// makeStreams writes the streams between the programs into files.
func (b *bench) makeStreams(s *set) error {
	s.signals, s.withVerdict = s.dir+".signals", s.dir+".verdicts"
	once := s.dir + ".once"
	defer os.Remove(once)
	if err := b.into(once, "", "retro-scan", "--registry", b.registry, s.dir); err != nil {
		return err
	}
	if err := s.repeat(once); err != nil {
		return err
	}
	return b.into(s.withVerdict, s.signals, "retro-score", "--tee")
}

// into runs a program from a file to a file.
func (b *bench) into(output, input, program string, args ...string) error {
	out, err := os.Create(output)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := b.command(filepath.Join(b.programs, program), args...)
	cmd.Stdout = out
	if input != "" {
		in, err := os.Open(input)
		if err != nil {
			return err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %v", program, err)
	}
	return out.Close()
}

// repeat copies the signals under other session ids.
func (s *set) repeat(from string) error {
	data, err := os.Open(from)
	if err != nil {
		return err
	}
	defer data.Close()
	file, err := os.Create(s.signals)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	in := bufio.NewReaderSize(data, 64<<10)
	for n := range copies {
		if _, err := data.Seek(0, 0); err != nil {
			return err
		}
		in.Reset(data)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				break
			}
			renumber(line, `"session_id":"`, n)
			renumber(line, `"id":"`, n)
			out.Write(line)
			s.records++
		}
	}
	return out.Flush()
}

// renumber changes the first hexadecimal digits of the last value with a key.
func renumber(line []byte, key string, n int) {
	const digits = 8
	at := bytes.LastIndex(line, []byte(key)) + len(key)
	if at < len(key) || at+digits > len(line) {
		return
	}
	id, err := strconv.ParseUint(string(line[at:at+digits]), 16, 32)
	if err == nil {
		copy(line[at:], fmt.Sprintf("%08x", uint32(id)^uint32(n)*2654435761))
	}
}
