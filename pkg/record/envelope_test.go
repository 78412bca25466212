package record

import "testing"

func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		line string
		kind Kind
		ok   bool
	}{
		{`{"v":1,"kind":"friction","x":{"kind":"event"}}`, Friction, true},
		{` {"x":["}"],"kind":"later kind"} `, "later kind", true},
		{`{"kind":1}`, "", true},
		{`{}`, "", true},
		{`{"kind":"friction"`, "", false},
		{`{"kind":"friction"} x`, "", false},
		{`["kind"]`, "", false},
		{``, "", false},
	} {
		kind, ok := KindOf([]byte(tt.line))
		if ok != tt.ok || ok && kind != tt.kind {
			t.Errorf("%s: got %q %v, want %q %v", tt.line, kind, ok, tt.kind, tt.ok)
		}
	}
}
