package score

import (
	"fmt"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// Truth is what a person says of a session.
type Truth string

// The truths.
const (
	// Rough sessions have friction that deserves a look back.
	Rough Truth = "friction"
	// Smooth ones have not.
	Smooth Truth = "smooth"
	// Unclear ones are left out of precision and recall.
	Unclear Truth = "unclear"
)

// Labels are what people say of sessions, by session id.
type Labels map[string]*Label

// Label is what people say of one session.
type Label struct {
	Truth Truth `json:"truth"`
	// Prompts are the ids of the prompts that were judged, in their order.
	Prompts []string `json:"prompts"`
	// Pushback are those of them in which the person pushes back.
	Pushback []LabelledPrompt `json:"pushback"`
	// Fold names what the session belongs together with in cross-validation;
	// empty takes the project of its session record.
	Fold string `json:"fold"`
}

// LabelledPrompt is a prompt in which somebody saw pushback.
type LabelledPrompt struct {
	UUID string `json:"uuid"`
	// Readers is how many of two readers saw it; one alone leaves it open. 0
	// stands for a label of a single reader, which counts.
	Readers int `json:"readers"`
}

// ReadLabels reads a document of labels. The error names the session.
func ReadLabels(document []byte) (Labels, error) {
	labels := Labels{}
	if err := ndjson.Unmarshal(document, &labels); err != nil {
		return nil, fmt.Errorf("not an object of labels by session id")
	}
	for id, l := range labels {
		if l == nil {
			return nil, fmt.Errorf("a session has no label")
		}
		switch l.Truth {
		case Rough, Smooth, Unclear, "":
		default:
			return nil, fmt.Errorf("session %s: truth must be friction, smooth or unclear", record.NewSessionID(id))
		}
		if l.Truth == "" {
			l.Truth = Unclear
		}
	}
	return labels, nil
}

// truths are the truths of the judged prompts of the session.
func (l *Label) truths() []Truth {
	seen := make(map[string]Truth, len(l.Pushback))
	for _, p := range l.Pushback {
		seen[p.UUID] = Rough
		if p.Readers == 1 {
			seen[p.UUID] = Unclear
		}
	}
	out := make([]Truth, len(l.Prompts))
	for i, id := range l.Prompts {
		if out[i] = seen[id]; out[i] == "" {
			out[i] = Smooth
		}
	}
	return out
}
