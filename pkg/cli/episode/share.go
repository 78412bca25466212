package episode

import (
	"retro/pkg/cli"
	"retro/pkg/episode"
)

// shares tells the files that hold partials which were cut: every partial ends with
// the number of its episodes. A file may hold several, in any order of lines.
type shares struct {
	collector *episode.Collector
	file      string
	before    int  // missing when the file began
	junk      bool // the file has lines, and none was a record so far
}

// add feeds a line to the collector.
func (s *shares) add(env *cli.Env, l *cli.Line) error {
	if l.File != s.file {
		s.close(env)
		s.file, s.junk = l.File, true
	}
	s.junk = s.junk && !l.Object
	return add(s.collector, l)
}

// close ends a file.
func (s *shares) close(env *cli.Env) {
	if missing := s.collector.Missing(); missing != s.before {
		env.Diagnostics().Fail("share", s.file, 0, "partial is not whole: it was cut, or lost lines")
		s.before = missing
	}
	if s.junk {
		env.Diagnostics().Fail("share", s.file, 0, "holds no record")
	}
}
