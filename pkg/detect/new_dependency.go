package detect

import (
	"strconv"

	"retro/pkg/predicate"
	"retro/pkg/record"
	"retro/pkg/transcript"
)

func init() {
	register(Detector{
		Name: "new-dependency",
		Doc:  "A command or the edit of a manifest adds a dependency.",
		New:  newDependency,
	})
}

// newDependency reports every simple command that adds, and every edit of a
// manifest that can.
//
// Read by hand on recorded sessions: the one hit among 3,147 commands and 2,378
// edits was a new dependency, and no addition was missed. By the words of the
// line alone it had been three (a rehearsal and a question for the list of
// versions), and four edits of a manifest, all of them a version bump.
func newDependency(opt *Options, report Report) *Observer {
	s := opt.rules
	rule, on := s.rule("new-dependency")
	if !on {
		return nil
	}
	return &Observer{Block: func(b *transcript.Block) {
		if b.Kind != transcript.ToolCall || !s.call.IsShell() && !s.call.IsEdit() {
			return
		}
		for i, d := range predicate.Dependencies(s.call) {
			at := placeOf(b)
			e := &record.NewDependencyEvidence{Program: record.NewProgram(d.Program), Via: record.ViaCommand, Site: at.site()}
			if d.Manifest != "" {
				e.Manifest, e.Via = s.project.Path(s.call.Dir, d.Manifest), record.ViaEdit
			}
			report(at.hit(e, rule, at.id+" "+strconv.Itoa(i)))
		}
	}}
}
