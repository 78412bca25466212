package detect

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"retro/pkg/ndjson"
	"retro/pkg/record"
)

// This file looks at JSON values as the original gate's language does.

// truthy is Python's bool(): false for null, false, zero and everything empty.
func truthy(v ndjson.Value) bool {
	switch v.Kind() {
	case ndjson.True:
		return true
	case ndjson.String:
		return len(v) > len(`""`)
	case ndjson.Number:
		f, _ := strconv.ParseFloat(string(v), 64) // out of range is infinite, which is true
		return f != 0
	case ndjson.Object, ndjson.Array:
		return len(bytes.TrimLeft(v[1:len(v)-1], " \t\r\n")) > 0
	}
	return false
}

// members calls f for every member of an object; key is valid during the call.
// It tells whether the value is one object and nothing else.
func members(v ndjson.Value, f func(key []byte, v ndjson.Value)) (whole bool) {
	var w ndjson.Walker
	w.Reset(v)
	return w.Members(func(key []byte, member ndjson.Value) bool {
		f(key, member)
		return true
	}) && w.End()
}

func trimPythonSpace(b []byte) []byte { return bytes.TrimFunc(b, isPythonSpace) }

// maxAnchor bounds an id, in bytes: the longest real ones have some 60.
const maxAnchor = 4 << 10

// classicAnchor is an id of any type as the original gate prints it. ok is false for
// one that is too long or nests too deep to be an id.
func classicAnchor(v ndjson.Value) (anchor record.Anchor, ok bool) {
	if len(v) > maxAnchor {
		return record.Anchor{}, false
	}
	if v.Kind() == ndjson.String {
		return record.NewAnchor(v.String()), true
	}
	text, ok := appendPython(nil, v, 0)
	return record.RawAnchor(string(text)), ok
}

// maxDumpDepth is about where the original gate gave up on the whole file.
const maxDumpDepth = 900

// appendPython writes a value as Python's json.dumps does without white space:
// in ASCII, floats in its own form, of equal keys the last value at the first
// place.
//
// Note: NaN and the infinities, which are no JSON, become strings.
func appendPython(dst []byte, v ndjson.Value, depth int) (out []byte, ok bool) {
	switch v.Kind() {
	case ndjson.String:
		return append(dst, quoted(v.String())...), true
	case ndjson.Number:
		return appendNumber(dst, string(v)), true
	case ndjson.Array:
		return appendList(dst, v, depth)
	case ndjson.Object:
		return appendDict(dst, v, depth)
	}
	return append(dst, v...), true
}

func appendNumber(dst []byte, text string) []byte {
	if strings.Trim(text, "-0123456789") == "" {
		if text == "-0" {
			text = "0"
		}
		return append(dst, text...)
	}
	f, _ := strconv.ParseFloat(text, 64)
	size := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 0):
		return append(strconv.AppendFloat(append(dst, '"'), f, 'f', -1, 64), '"')
	case f != 0 && (size < 1e-4 || size >= 1e16):
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[from:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendList(dst []byte, v ndjson.Value, depth int) (out []byte, ok bool) {
	var w ndjson.Walker
	w.Reset(v)
	if depth > maxDumpDepth || !w.Array() {
		return dst, false
	}
	dst = append(dst, '[')
	for first := true; ; first = false {
		done, ok := w.Element(first)
		if done || !ok {
			return append(dst, ']'), ok
		}
		element, ok := w.Value()
		if !ok {
			return dst, false
		}
		if !first {
			dst = append(dst, ',')
		}
		if dst, ok = appendPython(dst, element, depth+1); !ok {
			return dst, false
		}
	}
}

func appendDict(dst []byte, v ndjson.Value, depth int) (out []byte, ok bool) {
	type member struct {
		key   string
		value ndjson.Value
	}
	var list []member
	if depth > maxDumpDepth {
		return dst, false
	}
	members(v, func(key []byte, value ndjson.Value) {
		for i := range list {
			if list[i].key == string(key) {
				list[i].value = value
				return
			}
		}
		list = append(list, member{string(key), value})
	})
	dst = append(dst, '{')
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, quoted(m.key)...), ':')
		if dst, ok = appendPython(dst, m.value, depth+1); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// quoted is a text as a JSON string in ASCII.
func quoted(s string) string {
	if s == "" {
		return `""`
	}
	return record.NewAnchor(s).Key()
}
