package guard

import (
	"path"
	"strings"

	"retro/pkg/predicate"
	"retro/pkg/record"
)

// generatedFiles: a generated file is edited by hand.
func generatedFiles(w *watch) *finding {
	if w.Call == nil {
		return nil
	}
	g, found := w.project.EditsGenerated(w.Call)
	if !found {
		return nil
	}
	file := g.Path.String()
	return &finding{
		text: generatedText(g), path: g.Path, once: "generated-" + hashed(file),
		violation: &record.GeneratedFileEvidence{Path: g.Path, Reason: g.Reason, Site: w.site()},
	}
}

func generatedText(g predicate.Generated) string {
	file := blocked + g.Path.String()
	switch g.Reason {
	case record.ByDirectory:
		return file + " lives under a generated directory ('" + g.Mark + "'). Edit the source or regenerate via the project's codegen command."
	case record.ByFilename:
		return file + " has a '" + g.Mark + "' filename marker. Edit the source template instead."
	}
	return file + " header contains '" + g.Mark + "'. This file is machine-generated - edit its source."
}

// scope: a file is edited that the active change does not name.
func scope(w *watch) *finding {
	if w.Call == nil {
		return nil
	}
	file, change, out := w.project.OutOfScope(w.Call)
	if !out {
		return nil
	}
	return &finding{
		text: "[warn-scope] editing " + file + " but active OpenSpec '" + change +
			"' does not reference this path in tasks.md. Confirm intent or update tasks.md.",
		path: record.NewPath(file), once: "scope-warned-" + hashed(file),
		violation: &record.ScopeEvidence{Path: record.NewPath(file), OpenSpec: record.NewName(change), Site: w.site()},
	}
}

// openSpecGate: a second source file is edited, no change is open and none was
// touched. The marker of each edited file is the memory; where it cannot be
// written the hook is silent.
func openSpecGate(w *watch) *finding {
	if w.Call == nil {
		return nil
	}
	if w.project.TouchesOpenSpec(w.Call) {
		w.marks.once("openspec-touched")
		return nil
	}
	file, source := w.project.EditedSource(w.Call)
	if !source {
		return nil
	}
	if _, known := w.marks.once("openspec-edited-" + hashed(file.String())); !known {
		return nil
	}
	if w.marks.count("openspec-edited-") < 2 || w.marks.has("openspec-touched") || len(w.project.OpenChanges()) > 0 {
		return nil
	}
	return &finding{
		text: "[openspec-gate] second source file this session (" + file.String() + ") with no OpenSpec touched and no active change under " +
			w.project.Changes + "/. Hard rule OPENSPEC OR STOP: propose first, or name the literal exemption.",
		path: file, once: "openspec-warned", quiet: true,
	}
}

// noNewDeps: a command or the edit of a manifest adds a dependency.
func noNewDeps(w *watch) *finding {
	if w.Call == nil {
		return nil
	}
	added := predicate.Dependencies(w.Call)
	if len(added) == 0 {
		return nil
	}
	subject, file := added[0].Program, record.Path{}
	if manifest := added[0].Manifest; manifest != "" {
		subject = path.Base(strings.ReplaceAll(manifest, `\`, "/"))
		file = w.project.Path(w.Call.Dir, manifest)
	}
	return &finding{
		text: "[no-new-deps] adding a dependency (" + subject +
			"). This project's rules require explicit user approval before a new dependency lands - confirm before continuing.",
		path: file, once: "deps-warned",
	}
}

// defect: source edits are committed that no review saw. A review and a commit
// both end the matter until the next edit.
func defect(w *watch) *finding {
	const edited = "defect-edited"
	if w.Call == nil {
		if w.project.ReviewPrompt(w.Prompt) {
			w.marks.clear(edited)
		}
		return nil
	}
	if _, source := w.project.EditedSource(w.Call); source {
		w.marks.once(edited)
	}
	if w.project.IsReview(w.Call) {
		w.marks.clear(edited)
	}
	if !predicate.Commits(w.Call) || !w.marks.has(edited) {
		return nil
	}
	return &finding{
		text: "[defect-warn] committing source edits that no review saw this session. Run /coograph-review or /coograph-verify before declaring this done.",
		once: "defect-warned", quiet: true, passed: func() { w.marks.clear(edited) },
	}
}

// graphFirst: the main chain searches the files before it looked into the code
// graph.
func graphFirst(w *watch) *finding {
	if w.Call == nil || w.Subagent {
		return nil
	}
	access := w.project.GraphAccess(w.Call) != predicate.NoAccess
	if !access && !w.project.Searches(w.Call) || !w.project.HasGraph() {
		return nil
	}
	if access {
		w.marks.once("graph-seen")
		return nil
	}
	if w.marks.has("graph-seen") {
		return nil
	}
	return &finding{
		text: "[graph-first] " + w.Call.Tool + " before the code graph was looked at this session. Hard rule CODE-GRAPH FIRST: query the graph, then search.",
		once: "graph-warned", quiet: true,
	}
}
