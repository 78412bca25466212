package rules

import (
	_ "embed"
	"sync"
)

//go:embed seed.json
var seed []byte

// Seed is the text of the registry that comes with the program: the eight rules
// of the rules specification with its thresholds and correction patterns.
func Seed() []byte { return append([]byte(nil), seed...) }

// Default is the checked seed: what counts in a project without a registry.
// Callers must not change it.
var Default = sync.OnceValue(func() *Registry {
	r, err := Parse(seed)
	if err != nil {
		panic("rules: seed " + err.Error())
	}
	return r
})
