package record

// Layout is what the instruction files of a project weigh, and where they are
// out of shape. It holds names, numbers and places, never what stands there.
type Layout struct {
	BucketHead
	Config string `json:"config"` // path of the file with the budgets, or `built-in defaults`
	// Method is how the tokens were estimated: nobody outside the maker of a
	// model can count them.
	Method       string             `json:"method"`
	AlwaysLoaded LayoutAlways       `json:"always_loaded"`
	Router       LayoutTier         `json:"router"`
	Doc          LayoutTier         `json:"doc"`
	Gotchas      LayoutTier         `json:"gotchas"`
	Scoped       LayoutTier         `json:"scoped"` // loaded for some paths only; no budget
	Over         []LayoutOver       `json:"over"`
	Dated        []LayoutDated      `json:"dated_headings"`
	Repeated     []LayoutRepeated   `json:"duplicate_paragraphs"` // longest first
	Padding      []LayoutPadding    `json:"table_padding"`
	Missing      []LayoutReference  `json:"missing_imports"`
	Stale        []LayoutReference  `json:"stale_globs"` // globs of scoped files that match no file
	Unreadable   []LayoutUnreadable `json:"unreadable"`
	Unwritten    []LayoutPlace      `json:"unwritten"` // files with a text that a person has to write
	Entries      int                `json:"gotcha_entries"`
	// Structural are the reasons why small edits cannot close what is over;
	// empty when there are none.
	Structural []string `json:"structural_reasons"`
	// Call is what a person runs to restructure.
	Call string `json:"call"`
}

// LayoutAlways are the files that every session loads, with what they import.
type LayoutAlways struct {
	Files  []LayoutFile `json:"files"`
	Total  int          `json:"total"` // estimated tokens
	Budget int          `json:"budget"`
	Over   bool         `json:"over"`
}

// LayoutTier are files of one sort, each with the budget.
type LayoutTier struct {
	Files  []LayoutFile `json:"files"`
	Budget int          `json:"budget"` // estimated tokens a file; 0 for none
}

// LayoutFile is one instruction file.
type LayoutFile struct {
	File   Path `json:"file"`
	Tokens int  `json:"estimated_tokens"`
	// Via is the file that imports it; empty for one that is loaded by itself.
	Via  Path `json:"via,omitempty"`
	Over bool `json:"over,omitempty"`
}

// LayoutOver is something over its budget.
type LayoutOver struct {
	Tier   Name   `json:"tier"` // always_loaded, router, doc, gotchas, gotcha_entry
	File   Path   `json:"file"` // empty for the sum of always_loaded
	Gotcha string `json:"gotcha,omitempty"`
	Size   int    `json:"size"`
	Budget int    `json:"budget"`
	Unit   Name   `json:"unit"` // tokens, or bytes for an entry
}

// LayoutDated is a file with headings that carry dates: a map that turns into a
// changelog.
type LayoutDated struct {
	File  Path  `json:"file"`
	Count int   `json:"count"`
	Lines []int `json:"lines"` // of the first three
}

// LayoutRepeated is a paragraph that stands in several files that are always
// loaded.
type LayoutRepeated struct {
	Characters int           `json:"chars"`
	Places     []LayoutPlace `json:"places"`
}

// LayoutPlace is a line of a file.
type LayoutPlace struct {
	File Path `json:"file"`
	Line int  `json:"line"`
}

// LayoutPadding counts the blanks that align the columns of a file's tables.
type LayoutPadding struct {
	File  Path `json:"file"`
	Bytes int  `json:"bytes"`
}

// LayoutReference is a path or glob in a file that leads nowhere.
type LayoutReference struct {
	LayoutPlace
	Target string `json:"target"`
}

// LayoutUnreadable is a file that could not be looked into.
type LayoutUnreadable struct {
	File   Path   `json:"file"`
	Reason string `json:"reason"`
}

// GotchaEntry is one entry of a GOTCHAS.md.
type GotchaEntry struct {
	BucketHead
	Gotcha string `json:"gotcha"` // id
	LayoutPlace
	Bytes    int       `json:"bytes"`
	Budget   int       `json:"budget"` // bytes
	Programs []Program `json:"programs"`
	Paths    int       `json:"paths"` // how many globs it names
	// Missing are the required fields that are empty or not there, and `unique
	// id`; such an entry is shown to nobody.
	Missing []string `json:"missing"`
	Stale   bool     `json:"stale"` // none of its paths matches a file
}
