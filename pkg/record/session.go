package record

// SessionEvidence is the body of the session record: the counters of one
// session. Every rate has its denominator here. All counts are of the period
// when the scan was cut by one.
type SessionEvidence struct {
	Started    Timestamp `json:"started"`
	Ended      Timestamp `json:"ended"`
	ActiveDays []Day     `json:"active_days"`
	// Zone is the IANA name of the zone of the days.
	Zone Name `json:"zone"`
	// Since and Until are the period when the scan was cut by one: from Since
	// on, before Until.
	Since Timestamp `json:"since,omitempty"`
	Until Timestamp `json:"until,omitempty"`

	// Turns counts the agent's turns (unique message ids), SubagentTurns those
	// of sub-agents, Prompts what people typed.
	Turns         int `json:"turns"`
	SubagentTurns int `json:"subagent_turns"`
	Prompts       int `json:"prompts"`
	// MessageCount counts user and assistant records, sub-agents included.
	MessageCount int `json:"message_count"`

	Usage          Usage  `json:"usage"`
	StartContext   int64  `json:"start_context"` // tokens of the first turn: input, cache read and cache create
	ToolsUsed      Counts `json:"tools_used"`    // the 40 most common, by name
	ToolCallsTotal int    `json:"tool_calls_total"`
	ToolErrors     int    `json:"tool_errors"`
	Unresolved     int    `json:"unresolved"` // tool calls without a result
	EditedFiles    int    `json:"edited_files"`
	Skills         []Name `json:"skills_invoked"`
	Role           Name   `json:"role,omitempty"`

	Compactions   int     `json:"compactions"`
	Interrupts    int     `json:"interrupts"`
	Rejections    int     `json:"rejections"` // tool calls refused by a person
	APIErrors     int     `json:"api_errors"`
	HookBlocks    []Count `json:"hook_blocks,omitempty"` // by hook
	Denials       []Count `json:"denials,omitempty"`     // by reason class
	CodeReads     int     `json:"code_reads"`
	GraphInit     int     `json:"graph_init"`
	GraphExplore  int     `json:"graph_explore"`
	Recalls       int     `json:"recalls"`
	Opportunities []Count `json:"opportunities,omitempty"` // by rule: calls at which it could have been broken

	// RulesOff tells that the scan had no registry: that no rule was seen broken
	// means nothing then.
	RulesOff bool `json:"rules_off,omitempty"`

	GraphDBPresent bool `json:"graph_db_present"`
	// Facts names the project facts that were looked at (with --root).
	Facts []Identifier `json:"facts,omitempty"`
	// Project is the last element of the first working directory and 8 hex
	// digits of a hash of the whole path.
	Project      Name `json:"project,omitempty"`
	BranchFirst  Name `json:"branch_first,omitempty"`
	BranchLast   Name `json:"branch_last,omitempty"`
	Worktree     Name `json:"worktree,omitempty"` // name of the linked worktree, if the session ran in one
	AgentVersion Name `json:"agent_version,omitempty"`
	Model        Name `json:"model,omitempty"` // the last genuine model
	// Interactive is false for sessions driven by a program.
	Interactive bool `json:"interactive"`

	Profile     Name    `json:"profile"`
	ConfigHash  Hash    `json:"config_hash"`
	SourceBytes int64   `json:"source_bytes"`
	Files       int     `json:"files"`
	Malformed   []Count `json:"malformed,omitempty"`
	Dropped     []Count `json:"dropped,omitempty"` // copies and foreign records, by kind
	Live        bool    `json:"live,omitempty"`
}

func (*SessionEvidence) evidence() {}
