package ndjson

import (
	"errors"
	"io"
	"reflect"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
	"github.com/modern-go/reflect2"
)

// api is the one configuration of the JSON library: no HTML escaping, floats
// in full precision, raw values checked before they are written, and omitempty
// that honours IsZero.
var api = func() jsoniter.API {
	api := jsoniter.Config{ValidateJsonRawMessage: true}.Froze()
	api.RegisterExtension(&zeroExtension{})
	api.RegisterExtension(&textExtension{})
	return api
}()

// zeroer is a type that knows when it is empty.
type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// zeroExtension makes omitempty leave out a value whose IsZero is true; the
// library by itself never takes a struct for empty.
type zeroExtension struct{ jsoniter.DummyExtension }

// DecorateEncoder is called once for every type the library meets.
func (*zeroExtension) DecorateEncoder(typ reflect2.Type, encoder jsoniter.ValEncoder) jsoniter.ValEncoder {
	if typ.Kind() != reflect.Struct || !typ.Type1().Implements(zeroerType) {
		return encoder
	}
	return &zeroEncoder{ValEncoder: encoder, typ: typ}
}

type zeroEncoder struct {
	jsoniter.ValEncoder
	typ reflect2.Type
}

// IsEmpty answers the library's question for omitempty.
func (e *zeroEncoder) IsEmpty(ptr unsafe.Pointer) bool {
	return e.typ.UnsafeIndirect(ptr).(zeroer).IsZero()
}

// textReader is a type that is a JSON string and reads it itself: "" for null.
//
// Note: as an Unmarshaler it would be handed the text in a copy of its own and
// parse it again, for five allocations a value where this takes one. A session
// record has some forty.
type textReader interface{ ReadText(text string) error }

var textReaderType = reflect.TypeFor[textReader]()

// textExtension lets the types decode that read their text.
type textExtension struct{ jsoniter.DummyExtension }

// CreateDecoder is called once for every type the library meets.
func (*textExtension) CreateDecoder(typ reflect2.Type) jsoniter.ValDecoder {
	if typ.Kind() != reflect.Struct || !reflect.PointerTo(typ.Type1()).Implements(textReaderType) {
		return nil
	}
	return &textDecoder{typ}
}

type textDecoder struct{ typ reflect2.Type }

// Decode reads a string or null.
func (d *textDecoder) Decode(ptr unsafe.Pointer, iter *jsoniter.Iterator) {
	text := ""
	switch iter.WhatIsNext() {
	case jsoniter.StringValue:
		text = iter.ReadString()
	case jsoniter.NilValue:
		iter.ReadNil()
	default:
		iter.ReportError("ReadText", "not a string")
		return
	}
	if iter.Error != nil && iter.Error != io.EOF {
		return
	}
	if err := d.typ.PackEFace(ptr).(textReader).ReadText(text); err != nil {
		iter.ReportError("ReadText", err.Error())
	}
}

// errMalformed replaces every error of the JSON library, whose text quotes the
// input around the fault.
var errMalformed = errors.New("not valid JSON for this record")

// Raw is a JSON value that is passed on undecoded.
type Raw = jsoniter.RawMessage

// Marshal encodes v on one line, without a line end. Struct order is key
// order. The error never quotes the value.
func Marshal(v any) ([]byte, error) {
	b, err := api.Marshal(v)
	if err != nil {
		return nil, errors.New("value cannot be written as JSON")
	}
	return b, nil
}

// Unmarshal decodes one JSON value into v. Unknown fields are ignored. The
// error never quotes the input.
func Unmarshal(data []byte, v any) error {
	if err := api.Unmarshal(data, v); err != nil {
		return errMalformed
	}
	return nil
}

// Writer writes records, one a line.
type Writer struct {
	w      io.Writer
	stream *jsoniter.Stream
	err    error
}

// NewWriter returns a Writer on w, which should be buffered.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, stream: jsoniter.NewStream(api, nil, 4<<10)}
}

// appender is a value that writes itself.
type appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Encode writes v and a line end. The first write error sticks.
func (w *Writer) Encode(v any) error {
	if w.err != nil {
		return w.err
	}
	text, err := w.encode(v)
	if err != nil {
		return errors.New("value cannot be written as JSON")
	}
	w.stream.SetBuffer(append(text, '\n'))
	_, w.err = w.w.Write(w.stream.Buffer())
	return w.err
}

// encode makes the text in the buffer of the stream.
func (w *Writer) encode(v any) ([]byte, error) {
	if a, ok := v.(appender); ok {
		return a.AppendJSON(w.stream.Buffer()[:0])
	}
	w.stream.SetBuffer(w.stream.Buffer()[:0])
	w.stream.Error = nil
	w.stream.WriteVal(v)
	return w.stream.Buffer(), w.stream.Error
}

// Copy writes a line as it came, with a line end.
func (w *Writer) Copy(line []byte) error {
	if w.err != nil {
		return w.err
	}
	if _, w.err = w.w.Write(line); w.err == nil {
		_, w.err = w.w.Write([]byte{'\n'})
	}
	return w.err
}
