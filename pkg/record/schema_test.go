package record

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
)

var update = flag.Bool("update", false, "write the schemas anew")

// written lists the records that each program writes.
var written = map[string][]any{
	"retro-scan":      {Signal{}, Selection{}, Seen{}, Correction{}, Block{}},
	"retro-score":     {Verdict{}, Trial{}, TrialDecision{}, TrialAnnotation{}, TrialLine{}, TrialElapsed{}, CaseVerdict{}, Segment{}, Case{}, Calibration{}},
	"retro-episode":   {Episode{}, Share{}, Summary{}, Coverage{}, RuleBucket{}, DecisionsBucket{}, PathCluster{}, BuildRetry{}, Gotcha{}, Tokens{}, Adherence{}, FrictionBucket{}, Archives{}, Layout{}, Metrics{}},
	"retro-leftovers": {Leftover{}},
}

// evidences lists the types that Evidence stands for.
var evidences = []any{FrictionEvidence{}, SessionEvidence{}, GraphFirstEvidence{}, OpenSpecGateEvidence{}, ScopeEvidence{}, GeneratedFileEvidence{},
	BuildRetryEvidence{}, UserCorrectionEvidence{}, DefectEvidence{}, NewDependencyEvidence{}, DecisionEvidence{}, OutcomeEvidence{}}

// TestSchemasAreThoseOfTheTypes keeps the files and the types one.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	for program, types := range written {
		want := schemaOf(t, program, types)
		path := "schema/" + program + ".json"
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got := Schema(program); !bytes.Equal(got, want) {
			t.Errorf("%s is not what the types say; go test ./pkg/record -update writes it anew", path)
		}
	}
	if Schema("retro-render") != nil {
		t.Error("retro-render writes no records and has no schema")
	}
}

func schemaOf(t *testing.T, program string, types []any) []byte {
	t.Helper()
	definitions := map[string]*jsonschema.Schema{}
	var oneOf []map[string]string
	reflector, seen := newReflector(t, definitions)
	for _, v := range types {
		name := reflect.TypeOf(v).Name()
		define(reflector, definitions, v)
		oneOf = append(oneOf, map[string]string{"$ref": "#/$defs/" + name})
	}
	allowNull(definitions, seen)
	document, err := json.MarshalIndent(map[string]any{
		"$schema": jsonschema.Version,
		"title":   "Records of " + program,
		"anyOf":   oneOf,
		"$defs":   definitions,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(document, '\n')
}

func define(r *jsonschema.Reflector, definitions map[string]*jsonschema.Schema, v any) {
	for name, s := range r.Reflect(v).Definitions {
		definitions[name] = s
	}
}

// allowNull lets every property that is a pointer or a list in Go be null.
func allowNull(definitions map[string]*jsonschema.Schema, types map[string]reflect.Type) {
	for name, s := range definitions {
		if typ, known := types[name]; known && typ.Kind() == reflect.Struct {
			allowNullFields(s, typ)
		}
	}
}

func allowNullFields(s *jsonschema.Schema, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			allowNullFields(s, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if kind := f.Type.Kind(); kind != reflect.Pointer && kind != reflect.Slice || s.Properties == nil || wordSchema(f.Type) != nil {
			continue
		}
		if property, ok := s.Properties.Get(name); ok {
			s.Properties.Set(name, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{property, {Type: "null"}}})
		}
	}
}

func newReflector(t *testing.T, definitions map[string]*jsonschema.Schema) (*jsonschema.Reflector, map[string]reflect.Type) {
	t.Helper()
	r := &jsonschema.Reflector{AllowAdditionalProperties: true}
	types := map[string]reflect.Type{}
	if err := r.AddGoComments("retro/pkg/record", "."); err != nil {
		t.Fatal(err)
	}
	defined := false
	r.Mapper = func(typ reflect.Type) *jsonschema.Schema {
		types[typ.Name()] = typ
		if typ == reflect.TypeFor[Evidence]() {
			if !defined {
				defined = true
				for _, v := range evidences {
					define(r, definitions, v)
				}
			}
			return evidenceSchema()
		}
		return wordSchema(typ)
	}
	return r, types
}

func evidenceSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Description: "One type a detector; null for a detector that this version does not know."}
	for _, v := range evidences {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Ref: "#/$defs/" + reflect.TypeOf(v).Name()})
	}
	s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "null"})
	return s
}

// orNull is the schema of a text that is null when nobody knows it.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{s, {Type: "null"}}}
}

// wordSchema is the schema of the types that write themselves.
func wordSchema(typ reflect.Type) *jsonschema.Schema {
	switch typ {
	case reflect.TypeFor[Timestamp]():
		return orNull(&jsonschema.Schema{Type: "string", Description: "RFC 3339 in UTC", Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`})
	case reflect.TypeFor[LedgerTime]():
		return &jsonschema.Schema{Type: "string", Description: "RFC 3339 in UTC, or empty for none", Pattern: `^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)?$`}
	case reflect.TypeFor[Day]():
		return orNull(&jsonschema.Schema{Type: "string", Pattern: `^\d{4}-\d\d-\d\d$`})
	case reflect.TypeFor[Hash]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9a-f]{6,64})?$`}
	case reflect.TypeFor[SessionID]():
		return &jsonschema.Schema{Type: "string", Pattern: `^[A-Za-z0-9_-]{0,64}$`}
	case reflect.TypeFor[MetricList]():
		return &jsonschema.Schema{Type: "object", Description: "Figures by their keys: a number, or an object that says why there is none."}
	case reflect.TypeFor[Anchor](), reflect.TypeFor[Input](), reflect.TypeFor[Metric]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[Score]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}}}
	}
	if typ.Kind() == reflect.Struct && typ.NumField() > 0 && typ.Field(0).Type == reflect.TypeFor[word]() {
		return &jsonschema.Schema{Type: "string"}
	}
	if typ.Kind() == reflect.Struct && typ.Implements(reflect.TypeFor[json.Marshaler]()) && typ.Name() != "" && !strings.HasPrefix(typ.PkgPath(), "retro/pkg/record") {
		return &jsonschema.Schema{Type: "string"} // redacted text
	}
	return nil
}

func TestSchemasList(t *testing.T) {
	entries, err := schemas.ReadDir("schema")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		program := strings.TrimSuffix(e.Name(), ".json")
		if _, known := written[program]; !known || !slices.ContainsFunc([]string{"retro-"}, func(p string) bool { return strings.HasPrefix(program, p) }) {
			t.Errorf("schema/%s is nobody's", e.Name())
		}
	}
}
