package record

import "strings"

// Program is the name of the program that a shell command runs: letters,
// digits and `. _ + -`, at most 40 bytes, else the word `other`. It never holds
// an argument or an environment assignment.
type Program struct{ word }

// NewProgram checks the name that the shell package finds in a command line.
// Anything of another form, a whole command line for one, becomes `other`, and
// no name stays none.
func NewProgram(name string) Program {
	switch {
	case name == "":
		return Program{}
	case len(name) > 40, strings.Trim(name, alphanumerics+"._+-") != "":
		return Program{word{"other"}}
	}
	return Program{word{name}}
}

// UnmarshalJSON reads a program's name, anything else as `other`.
func (p *Program) UnmarshalJSON(data []byte) error {
	w, err := readWord(data, func(string) bool { return true })
	if err == nil {
		*p = NewProgram(w.text)
	}
	return err
}
