package ndjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestMembersKeepOrder(t *testing.T) {
	members, ok := Members([]byte(` {"b": [1, 2] ,"a":{"x":"}"}, "é\"":null, "b":-1.50} `))
	if !ok {
		t.Fatal("not read")
	}
	const want = `{"b":[1, 2],"a":{"x":"}"},"é\"":null,"b":-1.50}`
	if got := string(Join(members)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMembersRefuse(t *testing.T) {
	for _, text := range []string{``, `[]`, `null`, `{"a":}`, `{"a":1`, `{"a":nul}`, `{} {}`, `{"a":01}`, `7`} {
		if _, ok := Members([]byte(text)); ok {
			t.Errorf("%q was read as an object", text)
		}
	}
	for _, text := range []string{``, `{}`, `[1,]`, `[1`, `"x"`} {
		if _, ok := Elements([]byte(text)); ok {
			t.Errorf("%q was read as an array", text)
		}
	}
}

// The standard library lays JSON out in the same way, so it is the judge.
func TestIndent(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `{"a":[],"b":{},"c":[1,{"d":"x\"y, z: {"}],"e":-1.5e3}`, `"x"`, "{\n\"a\" : [ ] }", `[[1,2],[3]]`} {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(text), "", "  "); err != nil {
			t.Fatal(err)
		}
		want.WriteByte('\n')
		if got := string(Indent([]byte(text))); got != want.String() {
			t.Errorf("%s: got %s want %s", text, got, want.String())
		}
	}
}
