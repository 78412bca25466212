package ndjson

import (
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func keepAB(outer, inner string) bool {
	return outer == "a" || outer == "b" && (inner == "" || inner == "x")
}

func TestReadObject(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, `{}`},
		{" \n{\"a\":1,\"c\":2}\n", `{"a":1,"c":null}`},
		{"\xEF\xBB\xBF" + `{"a":"x"}`, `{"a":"x"}`},
		{`{"c":{"a":[1,{"a":2}],"s":"}\"\\"},"a":"}"}`, `{"c":null,"a":"}"}`},
		{`{"c":[[],[{"a":"]"}]],"a":true}`, `{"c":null,"a":true}`},
		{`{"b":{"x":"keep","y":{"x":1},"z":"\"}"},"a":{"q":[{"c":1}]}}`, `{"b":{"x":"keep","y":null,"z":null},"a":{"q":[{"c":1}]}}`},
		{`{"b":["x",{"y":1}],"c":"é\n"}`, `{"b":["x",{"y":1}],"c":null}`},
		{`{"c":1,"c":2,"a":{"x":1},"a":3}`, `{"c":null,"c":null,"a":{"x":1},"a":3}`},
		{`{"c":"x"}{"a":1} rest`, `{"c":null}`},
		{`{"` + strings.Repeat("k", 100) + `":1,"a":2}`, `{"` + strings.Repeat("k", 100) + `":null,"a":2}`},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in))} {
			got, err := ReadObject(r, keepAB)
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %s: got %s, %v; want %s", c.in, name, got, err, c.want)
			}
		}
	}
}

func TestReadObjectRefuses(t *testing.T) {
	for _, in := range []string{"", " ", "[1]", `"a"`, "7", "null", `{"a":1`, `{"a":"}`, `{"c":[}`, "x{}"} {
		if got, err := ReadObject(strings.NewReader(in), keepAB); err == nil {
			t.Errorf("%q: got %s, want an error", in, got)
		}
	}
	if _, err := ReadObject(io.MultiReader(strings.NewReader(`{"a":"`), repeat("x", MaxHeld+1), strings.NewReader(`"}`)), keepAB); err != ErrTooLong {
		t.Errorf("kept too much: %v", err)
	}
	if _, err := ReadObject(iotest.ErrReader(io.ErrUnexpectedEOF), keepAB); err == nil {
		t.Error("read error passed over")
	}
}

// repeat is a reader of n bytes.
func repeat(s string, n int) io.Reader { return io.LimitReader(endless(s), int64(n)) }

type endless string

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e[i%len(e)]
	}
	return len(b), nil
}

// What is not kept takes no memory, however much it is.
func TestReadObjectMemory(t *testing.T) {
	for _, junk := range []string{"x", `\"`, "ü"} {
		in := io.MultiReader(strings.NewReader(`{"a":1,"c":{"d":["`), repeat(junk, 64<<20), strings.NewReader(`"]},"b":{"x":2}}`))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := ReadObject(in, keepAB)
		runtime.ReadMemStats(&after)
		if err != nil || string(got) != `{"a":1,"c":null,"b":{"x":2}}` {
			t.Fatalf("got %s, %v", got, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%q: %d bytes allocated", junk, used)
		}
	}
}

// Of an object that is JSON, what is kept is what is kept when the whole of it
// is decoded.
func FuzzReadObject(f *testing.F) {
	for _, s := range []string{`{"a":1,"c":{"x":[1,"}"]}}`, `{"b":{"x":"\\\"","y":[]},"c":"\u00e9"}`, `{"b":[{"y":1}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := ReadObject(strings.NewReader(string(in)), keepAB)
		var whole map[string]any
		if json.Unmarshal(in, &whole) != nil || whole == nil {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		var got map[string]any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%q became %q", in, out)
		}
		for _, m := range []map[string]any{whole, got} {
			for key := range m {
				if strings.ContainsAny(key, "\\\uFFFD\u2028\u2029<>&") || len(key) > 20 {
					return // written with escapes: nobody's key
				}
			}
		}
		if a, b := value(whole["a"]), value(got["a"]); a != b {
			t.Errorf("%q: a is %s, want %s", in, b, a)
		}
		if _, found := got["c"]; found && got["c"] != nil {
			t.Errorf("%q: c was kept", in)
		}
	})
}

func value(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
