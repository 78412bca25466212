package ndjson

import "testing"

type strictDocument struct {
	Name  string        `json:"name"`
	On    bool          `json:"on"`
	Count int           `json:"count"`
	Rate  *float64      `json:"rate"`
	Parts []*strictPart `json:"parts"`
	Raw   Raw           `json:"raw"`
	local string        // not exported, so no key of the document
}

type strictPart struct {
	Texts []string `json:"texts"`
}

func TestUnmarshalStrict(t *testing.T) {
	if (strictDocument{}).local != "" {
		t.Fatal("the field without a key must stay empty")
	}
	tests := []struct{ document, want string }{
		{`{"name":"a","on":true,"count":-2,"rate":1e3,"parts":[{"texts":["b"]},null],"raw":{"x":1}}` + "\n", ""},
		{`{"rate":null}`, ""},
		{`{}`, ""},
		{`{"Name":"a"}`, "Name: unknown key"},
		{`{"local":"a"}`, "local: unknown key"},
		{`{"-":"a"}`, "-: unknown key"},
		{`{"":"a"}`, "(odd key): unknown key"},
		{`{"parts":[{},{"text":[]}]}`, "parts[1].text: unknown key"},
		{`{"name":"a","name":"b"}`, "name: given twice"},
		{`{"s3cret key":1}`, "(odd key): unknown key"},
		{`{"name":null}`, "name: must be a text"},
		{`{"on":1}`, "on: must be true or false"},
		{`{"count":1.5}`, "count: must be a whole number"},
		{`{"count":99999999999999999999}`, "count: must be a whole number"},
		{`{"rate":"1"}`, "rate: must be a number"},
		{`{"rate":NaN}`, "rate: must be a number"},
		{`{"rate":1e999}`, "rate: must be a number"},
		{`{"parts":{}}`, "parts: must be a list"},
		{`{"parts":[{"texts":[1]}]}`, "parts[0].texts[0]: must be a text"},
		{`[]`, "document: must be an object"},
		{``, "line 1: not valid JSON"},
		{"{\n\"name\":\n}", "line 3: not valid JSON"},
		{`{} x`, "line 1: not valid JSON"},
		{`{"raw":[1}`, "line 1: not valid JSON"},
		{`{"parts":[1`, "parts[0]: must be an object"},
	}
	for _, tt := range tests {
		var d strictDocument
		got := ""
		if err := UnmarshalStrict([]byte(tt.document), &d); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.document, got, tt.want)
		}
	}
}
