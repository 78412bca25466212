package profile

import (
	"fmt"
	"slices"
)

// Guard is a switch that keeps a kind of false alarm out, or lets in a kind of
// friction that words alone do not show. Each can be turned off alone, by
// leaving it out of a document, and measured.
type Guard string

// The guards. What is said of each is what it does when it is on.
const (
	// What a prompt is.
	GuardStrip      Guard = "strip"      // fences, quotations, pasted logs and code are not a person's words
	GuardHarness    Guard = "harness"    // text of the program around the agent is not a person's
	GuardSteering   Guard = "steering"   // what was typed while the agent worked is a prompt
	GuardSidechains Guard = "sidechains" // what sub-agents are told and say is left out
	GuardDedupe     Guard = "dedupe"     // a record that comes twice counts once
	GuardCopies     Guard = "copies"     // a prompt sent twice with no turn between counts once

	// What pushback is.
	GuardOpening         Guard = "opening"          // an opening prompt is never pushback
	GuardLanguages       Guard = "languages"        // languages other than English are understood
	GuardIdioms          Guard = "idioms"           // "no problem" and the like are no rejections
	GuardConditions      Guard = "conditions"       // "if it fails" reports no failure
	GuardAnswers         Guard = "answers"          // an answer to the agent's question speaks against pushback
	GuardApprovals       Guard = "approvals"        // approval and praise speak against it
	GuardNewRequests     Guard = "new-requests"     // a new request or a plain question speaks against it
	GuardImpersonal      Guard = "impersonal"       // long text in nobody's voice speaks against it
	GuardSelfCorrections Guard = "self-corrections" // a person who corrects himself pushes nobody back
	GuardDoubts          Guard = "doubts"           // hesitation, expectation and negative questions speak for it
	GuardChange          Guard = "change"           // what the agent changed before speaks for it
	GuardReaction        Guard = "reaction"         // what the agent does next speaks for it
	GuardSimilarity      Guard = "similarity"       // the same request again speaks for it
	GuardPastedErrors    Guard = "pasted-errors"    // a pasted error speaks for it
	GuardInterrupts      Guard = "interrupts"       // an interrupt is friction
	GuardRefusals        Guard = "refusals"         // a refused call is a person's word, not a failed tool

	// What a failure is.
	GuardPermissions   Guard = "permissions"    // denials by rules and hooks are no failures
	GuardCollateral    Guard = "collateral"     // calls cancelled with another are none
	GuardHarnessGuards Guard = "harness-guards" // unsound calls that the harness turns down are none
	GuardProbes        Guard = "probes"         // looking for a file that is not there is none
	GuardBenignExits   Guard = "benign-exits"   // exit code 1 of a query is an answer
	GuardSameTarget    Guard = "same-target"    // a run is of one tool and target
	GuardFailedEdits   Guard = "failed-edits"   // an edit that failed is not one of a loop
	GuardStruggle      Guard = "struggle"       // an edit loop needs a failure or pushback inside it
	GuardLedgerMerge   Guard = "ledger-merge"   // the ledger adds to the transcript's runs and hides none
)

// guards lists the guards there are.
var guards = []Guard{GuardStrip, GuardHarness, GuardSteering, GuardSidechains, GuardDedupe, GuardCopies,
	GuardOpening, GuardLanguages, GuardIdioms, GuardConditions, GuardAnswers, GuardApprovals, GuardNewRequests, GuardImpersonal, GuardSelfCorrections, GuardDoubts, GuardChange,
	GuardReaction, GuardSimilarity, GuardPastedErrors, GuardInterrupts, GuardRefusals,
	GuardPermissions, GuardCollateral, GuardHarnessGuards, GuardProbes, GuardBenignExits, GuardSameTarget, GuardFailedEdits, GuardStruggle, GuardLedgerMerge}

// Guards lists all guards, in a fixed order.
func Guards() []Guard { return append([]Guard(nil), guards...) }

// Without is the profile with guards turned off: a policy of the same name and
// another configuration. The error says that a name is none of a guard that is
// on.
func (p *Profile) Without(names ...string) (*Profile, error) {
	if len(names) == 0 {
		return p, nil
	}
	out := &Profile{Name: p.Name, About: p.About, Turns: p.Turns, Threshold: p.Threshold, Signals: p.Signals, Limits: p.Limits,
		EditTools: p.EditTools, Lexicons: p.Lexicons, Wording: p.Wording, Guards: slices.Clone(p.Guards), Features: p.Features}
	for _, name := range names {
		i := slices.Index(out.Guards, Guard(name))
		if i < 0 {
			return nil, fmt.Errorf("%q is no guard of the profile %s", name, p.Name)
		}
		out.Guards = slices.Delete(out.Guards, i, i+1)
	}
	return out, nil
}
