package ndjson

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// UnmarshalStrict decodes one JSON document that a person has written, and
// refuses what [Unmarshal] lets pass: keys that v has no field for, keys in
// another case, keys given twice, null for anything but a pointer, and text
// behind the document. The error names the path of the key
// (`signals[2].wieght: unknown key`) and quotes no value.
func UnmarshalStrict(data []byte, v any) error {
	var c strictChecker
	c.Reset(data)
	if err := c.check(reflect.TypeOf(v), ""); err != nil {
		return err
	}
	if !c.End() {
		return c.malformed()
	}
	return Unmarshal(data, v)
}

// strictChecker holds a document against the type it is meant for.
type strictChecker struct{ Walker }

func (c *strictChecker) malformed() error {
	line := 1 + strings.Count(string(c.data[:min(c.Pos(), len(c.data))]), "\n")
	return fmt.Errorf("line %d: not valid JSON", line)
}

func (c *strictChecker) check(t reflect.Type, path string) error {
	if t.Kind() == reflect.Pointer {
		if c.Peek() == Null {
			return c.step()
		}
		t = t.Elem()
	}
	if decodesItself(t) {
		return c.step()
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.object(t, path)
	case reflect.Slice:
		return c.array(t, path)
	case reflect.String:
		return c.scalar(path, "a text", String)
	case reflect.Bool:
		return c.scalar(path, "true or false", True, False)
	case reflect.Int, reflect.Int64, reflect.Float64:
		return c.number(t, path)
	}
	return fmt.Errorf("%s: cannot be set", place(path))
}

func (c *strictChecker) step() error {
	if _, ok := c.Value(); !ok {
		return c.malformed()
	}
	return nil
}

// decodesItself tells whether a type reads its own JSON and so checks it.
func decodesItself(t reflect.Type) bool {
	type unmarshaler interface{ UnmarshalJSON([]byte) error }
	return t == reflect.TypeFor[Raw]() || reflect.PointerTo(t).Implements(reflect.TypeFor[unmarshaler]())
}

func (c *strictChecker) object(t reflect.Type, path string) error {
	if !c.Object() {
		return c.expected(path, "an object")
	}
	seen := make([]bool, t.NumField())
	for first := true; ; first = false {
		key, done, ok := c.Key(first)
		switch {
		case !ok:
			return c.malformed()
		case done:
			return nil
		}
		member := join(path, key)
		i := fieldOf(t, string(key))
		if i < 0 {
			return fmt.Errorf("%s: unknown key", member)
		}
		if seen[i] {
			return fmt.Errorf("%s: given twice", member)
		}
		seen[i] = true
		if err := c.check(t.Field(i).Type, member); err != nil {
			return err
		}
	}
}

func (c *strictChecker) array(t reflect.Type, path string) error {
	if !c.Array() {
		return c.expected(path, "a list")
	}
	for i := 0; ; i++ {
		done, ok := c.Element(i == 0)
		switch {
		case !ok:
			return c.malformed()
		case done:
			return nil
		}
		if err := c.check(t.Elem(), path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
}

func (c *strictChecker) scalar(path, want string, kinds ...ValueKind) error {
	v, ok := c.Value()
	if !ok {
		return c.malformed()
	}
	for _, k := range kinds {
		if v.Kind() == k {
			return nil
		}
	}
	return fmt.Errorf("%s: must be %s", place(path), want)
}

func (c *strictChecker) number(t reflect.Type, path string) error {
	v, ok := c.Value()
	if !ok {
		return c.malformed()
	}
	var err error
	if t.Kind() == reflect.Float64 {
		_, err = strconv.ParseFloat(string(v), 64)
	} else {
		_, err = strconv.ParseInt(string(v), 10, 64)
	}
	if err != nil || v.Kind() != Number || strings.Trim(string(v), "0123456789+-.eE") != "" {
		return fmt.Errorf("%s: must be %s", place(path), numberWord(t))
	}
	return nil
}

func numberWord(t reflect.Type) string {
	if t.Kind() == reflect.Float64 {
		return "a number"
	}
	return "a whole number"
}

// expected tells a fault of form from a fault of grammar.
func (c *strictChecker) expected(path, want string) error {
	if err := c.step(); err != nil {
		return err
	}
	return fmt.Errorf("%s: must be %s", place(path), want)
}

// fieldOf is the index of the field with exactly this key, -1 for none.
func fieldOf(t reflect.Type, key string) int {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == key && name != "" && name != "-" {
			return i
		}
	}
	return -1
}

// join extends a path by a key. A key that has not the form of a name is not
// quoted.
func join(path string, key []byte) string {
	name := string(key)
	if name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		name = "(odd key)"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func place(path string) string {
	if path == "" {
		return "document"
	}
	return path
}
