//go:build unix

package retro

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fleet is a folder with the samples and two hosts that scan them: this
// machine under two addresses, behind a server of ssh of the test's own.
type fleet struct {
	t    *testing.T
	dir  string
	path string // PATH with the five programs, as those of the scripts, and bin
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	f := &fleet{t: t, dir: dir, path: bin + ":" + os.Getenv("PATH")}
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "t"), os.DirFS("testdata/transcripts/-home-sam-shop")); err != nil {
		t.Fatal(err)
	}
	return f
}

// run runs a shell line in the folder and returns what it prints.
func (f *fleet) run(line string) string {
	f.t.Helper()
	out, err := f.command(line).Output()
	if err != nil {
		f.t.Fatalf("%s\n%v\n%s", line, err, stderrOf(err))
	}
	return string(out)
}

func (f *fleet) command(line string) *exec.Cmd {
	// A host that does not answer must not hold the tests up.
	ctx, cancel := context.WithTimeout(f.t.Context(), 2*time.Minute)
	f.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.WaitDelay = time.Second
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "PATH="+f.path, "PARALLEL_HOME="+f.dir, "RSYNC_RSH=ssh -F "+f.dir+"/ssh_config", "TZ=UTC")
	return cmd
}

func stderrOf(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

func (f *fleet) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// hosts starts the server. What is missing for it ends the test with a word.
func (f *fleet) hosts() {
	f.t.Helper()
	for _, program := range []string{"parallel", "ssh", "ssh-keygen", "rsync", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			f.t.Skip(program + " is not installed")
		}
	}
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if sshd, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			f.t.Skip("sshd is not installed")
		}
	}
	port := f.port()
	f.run("ssh-keygen -q -t ed25519 -N '' -f key; mkdir -p /run/sshd 2>/dev/null; true")
	f.write("sshd_config", fmt.Sprintf("ListenAddress 127.0.0.1:%d\nListenAddress 127.0.0.2:%d\nHostKey %s/key\nAuthorizedKeysFile %s/key.pub\n"+
		"StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nPasswordAuthentication no\nSetEnv PATH=%s\n", port, port, f.dir, f.dir, f.path))
	f.write("ssh_config", fmt.Sprintf("Host *\nPort %d\nIdentityFile %s/key\nIdentitiesOnly yes\nBatchMode yes\nStrictHostKeyChecking no\n"+
		"UserKnownHostsFile /dev/null\nLogLevel ERROR\nConnectTimeout 5\n", port, f.dir))
	f.write("will-cite", "")
	server := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(f.dir, "sshd_config"))
	var log bytes.Buffer
	server.Stderr = &log
	if err := server.Start(); err != nil {
		f.t.Skip("sshd does not start: " + err.Error())
	}
	f.t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	for range 50 {
		if f.command("ssh -F ssh_config 127.0.0.1 true && ssh -F ssh_config 127.0.0.2 true").Run() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.t.Skip("sshd lets nobody in on 127.0.0.1 and 127.0.0.2")
}

// port is one that nobody listens on.
func (f *fleet) port() int {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestFleetOverSSH sends one session a job to two hosts, with its sub-agents,
// by the command of the README, and adds up what comes back: the same bytes as
// one process on one machine.
func TestFleetOverSSH(t *testing.T) {
	f := newFleet(t)
	f.hosts()
	f.script("share.sh")
	f.run("cd t && ls *.jsonl | sort >../sessions")
	const ours = `parallel --ssh "ssh -F $PWD/../ssh_config" --sshlogin 2/127.0.0.1,2/127.0.0.2 `
	serial := f.run("cd t && retro-scan --files-from ../sessions")
	if got := f.run("cd t && " + ours + "--workdir ... --transferfile {} --transferfile {.} --cleanup -k retro-scan {} :::: ../sessions"); got != serial {
		t.Errorf("signals of two hosts:\n%s\nwant:\n%s", got, serial)
	}
	want := f.run("cd t && retro-scan --files-from ../sessions | retro-score --tee | retro-episode")
	command := f.readme("parallel --sshlogin 8/host1,8/host2", ":::: /tmp/sessions\n")
	f.run("cd t && " + strings.NewReplacer("parallel --sshlogin 8/host1,8/host2 ", ours, "/tmp/", "../").Replace(command))
	if got := f.run("retro-episode t/*.partial"); got != want {
		t.Errorf("figures of two hosts:\n%s\nwant:\n%s", got, want)
	}
	if log := f.run("cut -f2 log | sort -u"); !strings.Contains(log, "127.0.0.1\n127.0.0.2\n") {
		t.Errorf("the hosts of the jobs are %q", log)
	}
}

// readme is the first piece of the README from the one text through the other.
func (f *fleet) readme(from, through string) string {
	f.t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		f.t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), from)
	piece, _, ends := strings.Cut(rest, through)
	if !found || !ends {
		f.t.Fatalf("the README has no %q", from)
	}
	return from + piece + through
}

// script puts a script of the README among the programs of the hosts.
func (f *fleet) script(name string) {
	f.t.Helper()
	f.write("bin/"+name, f.readme("#!/bin/bash\n# "+name+" ", "\n```"))
	f.run("sed -i '/^```/d' bin/" + name + " && chmod +x bin/" + name)
}
