package record

import (
	"strconv"

	"retro/pkg/ndjson"
)

// Reader reads the values of records. The stages after the scan do little else;
// the JSON library takes 17 to 36 µs for a session record or a verdict, which it
// reads by reflection, with an allocation a text. So what has the common form is read
// in place, and names, which are the same in most records, are made once. What
// has another form is left to the library: it is also the judge in the tests.
//
// The zero Reader is ready. One goroutine uses it at a time.
type Reader struct {
	// Counting leaves out where a hit was: anchors, and of friction evidence all but
	// its signal, which is checked all the same. Friction of one signal shares its
	// evidence then, and a record takes no memory beyond its envelope.
	Counting bool
	// Automated tells whether the last session record said that no person drove the
	// session. Records of older writers do not say; only an explicit no makes it an
	// automated one.
	Automated bool

	texts    map[string]string
	friction FrictionEvidence             // the one at hand
	shared   map[string]*FrictionEvidence // by signal
}

const (
	// maxKept is the length of texts that are kept, and keptTexts how many are
	// before the Reader begins anew: in a stream of many projects nothing grows.
	maxKept   = 128
	keptTexts = 1 << 14
)

// text reads a JSON string; null reads as empty. Equal texts share their bytes.
func (r *Reader) text(v ndjson.Value) (string, error) {
	if !isPlain(v) || len(v) > maxKept {
		return textOf(v)
	}
	inside := v[1 : len(v)-1]
	if s, known := r.texts[string(inside)]; known {
		return s, nil
	}
	if r.texts == nil || len(r.texts) >= keptTexts {
		r.texts = map[string]string{}
	}
	s := string(inside)
	r.texts[s] = s
	return s, nil
}

// texter is a type that reads its own text.
type texter interface{ ReadText(string) error }

// name reads a text that comes often.
func (r *Reader) name(v ndjson.Value, into texter) error {
	s, err := r.text(v)
	if err != nil {
		return err
	}
	return into.ReadText(s)
}

// Identifier reads an identifier; null reads as none.
func (r *Reader) Identifier(v ndjson.Value) (id Identifier, err error) {
	err = r.name(v, &id)
	return id, err
}

// Value reads a whole number or a checked text into its place.
func (r *Reader) Value(v ndjson.Value, into any) error {
	switch into := into.(type) {
	case *int:
		return integer(v, into)
	case *int64:
		return integer(v, into)
	case texter:
		return r.name(v, into)
	}
	return ndjson.Unmarshal(v, into)
}

// constant reads a text that is one of few.
func constant[T ~string](r *Reader, v ndjson.Value, into *T) error {
	s, err := r.text(v)
	*into = T(s)
	return err
}

// integer reads a whole number.
func integer[T int | int64](v ndjson.Value, into *T) error {
	n := int64(0)
	for i, c := range v {
		if c < '0' || c > '9' || i > 15 {
			return oddInteger(v, into)
		}
		n = n*10 + int64(c-'0')
	}
	*into = T(n)
	return nil
}

// oddInteger reads one that is negative or long, and null. (The library takes the
// 9 of 9e3 when nothing else is there.)
func oddInteger[T int | int64](v ndjson.Value, into *T) error {
	if v.Kind() != ndjson.Number {
		return ndjson.Unmarshal(v, into)
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || int64(T(n)) != n {
		return errRefused
	}
	*into = T(n)
	return nil
}

// boolean reads true or false.
func boolean(v ndjson.Value, into *bool) error {
	switch v.Kind() {
	case ndjson.True, ndjson.False:
		*into = v.Kind() == ndjson.True
		return nil
	}
	return ndjson.Unmarshal(v, into)
}

// bytesPerElement is a guess at the length of an element, for the room to begin
// with: names have 5 to 20 bytes, counts 30.
const bytesPerElement = 16

// list reads an array, its elements by one.
func list[T any](v ndjson.Value, into *[]T, one func(ndjson.Value, *T) error) error {
	if v.Kind() != ndjson.Array {
		return ndjson.Unmarshal(v, into)
	}
	var w ndjson.Walker
	w.Reset(v)
	w.Array()
	out := (*into)[:0]
	if out == nil {
		out = make([]T, 0, min(len(v)/bytesPerElement, 64))
	}
	for first := true; ; first = false {
		done, ok := w.Element(first)
		if !ok {
			return errRefused
		}
		if done {
			*into = out
			return nil
		}
		element, ok := w.Value()
		if !ok {
			return errRefused
		}
		var zero T
		out = append(out, zero)
		if err := one(element, &out[len(out)-1]); err != nil {
			return err
		}
	}
}

// names reads an array of texts that come often.
func names[T any, P interface {
	*T
	texter
}](r *Reader, v ndjson.Value, into *[]T) error {
	return list(v, into, func(v ndjson.Value, one *T) error { return r.name(v, P(one)) })
}

// counts reads an array of counts by name.
func (r *Reader) counts(v ndjson.Value, into *[]Count) error {
	return list(v, into, func(v ndjson.Value, c *Count) error {
		return object(v, c, func(key []byte, v ndjson.Value) error {
			switch string(key) {
			case "name":
				return r.name(v, &c.Name)
			case "count":
				return integer(v, &c.Count)
			}
			return nil
		})
	})
}

// object reads an object, its members by member.
func object[T any](v ndjson.Value, into *T, member func(key []byte, v ndjson.Value) error) error {
	if v.Kind() != ndjson.Object {
		return ndjson.Unmarshal(v, into)
	}
	var w ndjson.Walker
	w.Reset(v)
	var err error
	whole := w.Members(func(key []byte, v ndjson.Value) bool {
		err = member(key, v)
		return err == nil
	})
	if err == nil && !whole {
		err = errRefused
	}
	return err
}
