// Package ndjson reads and writes newline-delimited JSON, and is the only
// importer of the JSON library, whose error texts quote the input: everything
// that leaves this package as an error says where and what, never the text.
package ndjson
