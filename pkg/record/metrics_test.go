package record

import (
	"testing"

	"retro/pkg/ndjson"
)

func TestMetricList(t *testing.T) {
	const in = `{"turns":3,"rate":2.5,"old":{"retired":"a reason"},"odd":{"value":4,"incomparable":"another count"},"whole":7.0}`
	const want = `{"turns":3,"rate":2.5,"old":{"retired":"a reason"},"odd":{"value":4,"incomparable":"another count"},"whole":7}`
	var list MetricList
	if err := ndjson.Unmarshal([]byte(in), &list); err != nil {
		t.Fatal(err)
	}
	if got, err := ndjson.Marshal(list); err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	for _, bad := range []string{`[]`, `{"a":1,"a":2}`, `{"a":null}`, `{"a":"1"}`, `{"a":{}}`, `{"a":{"value":1,"retired":"both"}}`} {
		if ndjson.Unmarshal([]byte(bad), &list) == nil {
			t.Errorf("%s: want an error", bad)
		}
	}
}
