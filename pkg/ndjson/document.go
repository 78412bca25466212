package ndjson

import (
	"bytes"
	"io"

	jsoniter "github.com/json-iterator/go"
)

// Member is one key of a JSON object with its value undecoded.
type Member struct {
	Key   string
	Value Raw
}

// Members takes an object apart, in the order of the text and with repeated
// keys: what a program needs that changes one key of a file and leaves the
// rest as a person wrote it. ok is false for anything but one valid object.
func Members(data []byte) (members []Member, ok bool) {
	ok = decodeOne(data, jsoniter.ObjectValue, func(it *jsoniter.Iterator) {
		it.ReadObjectCB(func(it *jsoniter.Iterator, key string) bool {
			members = append(members, Member{key, it.SkipAndReturnBytes()})
			return it.Error == nil
		})
	})
	return members, ok
}

// Elements takes an array apart; ok is false for anything but one valid array.
func Elements(data []byte) (elements []Raw, ok bool) {
	ok = decodeOne(data, jsoniter.ArrayValue, func(it *jsoniter.Iterator) {
		it.ReadArrayCB(func(it *jsoniter.Iterator) bool {
			elements = append(elements, it.SkipAndReturnBytes())
			return it.Error == nil
		})
	})
	return elements, ok
}

// decodeOne reads the one value of data, which must have the type, with read.
func decodeOne(data []byte, want jsoniter.ValueType, read func(*jsoniter.Iterator)) bool {
	var whole any
	if api.Unmarshal(data, &whole) != nil { // skipping alone does not check literals
		return false
	}
	it := api.BorrowIterator(bytes.TrimSpace(data))
	defer api.ReturnIterator(it)
	if it.WhatIsNext() != want {
		return false
	}
	read(it)
	return it.Error == nil || it.Error == io.EOF
}

// Join is the reverse of Members: an object of the members in their order.
func Join(members []Member) Raw {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		key, _ := Marshal(m.Key)
		out = append(append(append(out, key...), ':'), bytes.TrimSpace(m.Value)...)
	}
	return append(out, '}')
}

// Indent lays valid JSON out for people: two spaces a level, one member or
// element a line, a line end at the end. Strings and numbers stay as they are.
func Indent(data []byte) []byte {
	var out []byte
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := stringEnd(data, i)
			out = append(out, data[i:end]...)
			i = end - 1
		case '{', '[':
			out = append(out, c)
			if next := skipSpace(data, i+1); next < len(data) && (data[next] == '}' || data[next] == ']') {
				out = append(out, data[next])
				i = next
				break
			}
			depth++
			out = newLine(out, depth)
		case '}', ']':
			depth--
			out = append(newLine(out, depth), c)
		case ',':
			out = newLine(append(out, c), depth)
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return append(out, '\n')
}

func newLine(out []byte, depth int) []byte {
	out = append(out, '\n')
	for range depth {
		out = append(out, "  "...)
	}
	return out
}

// stringEnd is the offset behind the string that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n') {
		i++
	}
	return i
}
