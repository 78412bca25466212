// Package retro holds the tests that are about the project as a whole: the
// scripts that run the five programs, and the rules of its layout.
package retro
