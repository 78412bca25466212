package leftovers

import (
	"os"
	"path/filepath"

	"retro/pkg/cli"
	"retro/pkg/ndjson"
	"retro/pkg/record"
	"retro/pkg/repo"
)

// place is a directory to look at, and the file and line that name it.
type place struct {
	repo.Place
	file string
}

// places lists the directories: arguments, then workspaces, then standard
// input when neither is given, then the current directory.
func (c *listCommand) places(env *cli.Env) (places []place, err error) {
	for _, name := range c.Repos {
		if name != "-" {
			places = append(places, place{Place: repo.Place{Dir: absolute(env, name)}})
			continue
		}
		more, err := c.fromStdin(env)
		if err != nil {
			return nil, err
		}
		places = append(places, more...)
	}
	for _, name := range c.Workspace {
		places = append(places, c.fromWorkspace(env, name)...)
	}
	if len(c.Repos)+len(c.Workspace) > 0 {
		return places, nil
	}
	if !env.StdinTerminal && c.Signals != "-" {
		if places, err = c.fromStdin(env); err != nil || len(places) > 0 {
			return places, err
		}
	}
	return []place{{Place: repo.Place{Dir: env.Dir}}}, nil
}

// fromStdin reads lines of {"path":DIR}. Other records in the stream are none
// of ours.
func (c *listCommand) fromStdin(env *cli.Env) (places []place, err error) {
	copied := ndjson.NewWriter(env.Stdout)
	in := cli.Input{Files: []string{"-"}, Strict: c.Strict}
	err = in.Each(env, "", func(l *cli.Line) error {
		if c.Tee {
			l.Copy(copied)
		}
		var named struct {
			Kind record.Kind `json:"kind"`
			Path string      `json:"path"`
		}
		switch err := ndjson.Unmarshal(l.Bytes, &named); {
		case err == nil && named.Kind != "":
		case err != nil, named.Path == "":
			l.Bad("not a record with a path")
		default:
			places = append(places, place{repo.Place{Dir: absolute(env, named.Path), Line: l.Number}, l.File})
		}
		return nil
	})
	return places, err
}

// fromWorkspace lists the repositories of a folder or of a Markdown table.
func (c *listCommand) fromWorkspace(env *cli.Env, name string) (places []place) {
	path := absolute(env, name)
	var found []repo.Place
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		if found, err = repo.InDirectory(path); err == nil && len(found) == 0 {
			env.Diagnostics().Warn("workspace", name, 0, "no repository one level below")
		}
		name = ""
	default:
		var text []byte
		if text, err = os.ReadFile(path); err == nil {
			ok := false
			if found, ok = repo.InMarkdown(string(text), filepath.Dir(path), env.Home); !ok {
				env.Diagnostics().Fail("workspace", name, 0, "no table with a column of paths")
			}
		}
	}
	if err != nil {
		env.Diagnostics().Fail("workspace", name, 0, cli.Reason(err))
	}
	for _, p := range found {
		places = append(places, place{p, name})
	}
	return places
}

// sessions reads the session records of --signals; nil without the flag.
func (c *listCommand) sessions(env *cli.Env) (*repo.Sessions, error) {
	if c.Signals == "" {
		return nil, nil
	}
	sessions, copied := new(repo.Sessions), ndjson.NewWriter(env.Stdout)
	in := cli.Input{Files: []string{c.Signals}, Strict: c.Strict}
	err := in.Each(env, "", func(l *cli.Line) error {
		if c.Tee && c.Signals == "-" {
			l.Copy(copied)
		}
		kind, ok := record.KindOf(l.Bytes)
		if !ok {
			l.Bad("not a record")
		}
		if kind != record.Session {
			return nil
		}
		var s record.Signal
		if ndjson.Unmarshal(l.Bytes, &s) != nil {
			l.Bad("not a record of its kind")
			return nil
		}
		sessions.Add(&s)
		return nil
	})
	return sessions, err
}

func absolute(env *cli.Env, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(env.Dir, name)
}
