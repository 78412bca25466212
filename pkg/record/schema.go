package record

import "embed"

// The schemas are generated from the types of this package by its tests
// (-update writes them) and only read here, so a program that prints one pays
// nothing for it at any other time.
//
//go:embed schema
var schemas embed.FS

// Schema is the JSON Schema (draft 2020-12) of the records that a program
// writes: each of its lines is valid against it. Nil for a program that writes
// none.
func Schema(program string) []byte {
	document, err := schemas.ReadFile("schema/" + program + ".json")
	if err != nil {
		return nil
	}
	return document
}
