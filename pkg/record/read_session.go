package record

import "retro/pkg/ndjson"

// session reads the evidence of a session record.
func (r *Reader) session(v ndjson.Value, e *SessionEvidence) error {
	return object(v, e, func(key []byte, v ndjson.Value) error {
		if into := e.number(key); into != nil {
			return integer(v, into)
		}
		if into := e.text(key); into != nil {
			return r.name(v, into)
		}
		if into := e.countsOf(key); into != nil {
			return r.counts(v, into)
		}
		return r.sessionMember(key, v, e)
	})
}

// sessionMember reads the members of which there are few of a kind.
func (r *Reader) sessionMember(key []byte, v ndjson.Value, e *SessionEvidence) error {
	switch string(key) {
	case "usage":
		return usage(v, &e.Usage)
	case "tools_used":
		if v.Kind() == ndjson.Array {
			return r.counts(v, (*[]Count)(&e.ToolsUsed))
		}
		return ndjson.Unmarshal(v, &e.ToolsUsed)
	case "start_context":
		return integer(v, &e.StartContext)
	case "source_bytes":
		return integer(v, &e.SourceBytes)
	case "active_days":
		return names(r, v, &e.ActiveDays)
	case "skills_invoked":
		return names(r, v, &e.Skills)
	case "facts":
		return names(r, v, &e.Facts)
	case "rules_off":
		return boolean(v, &e.RulesOff)
	case "graph_db_present":
		return boolean(v, &e.GraphDBPresent)
	case "interactive":
		r.Automated = v.Kind() == ndjson.False
		return boolean(v, &e.Interactive)
	case "live":
		return boolean(v, &e.Live)
	}
	return nil
}

// number is the place of a count; nil for other members.
func (e *SessionEvidence) number(key []byte) *int {
	switch string(key) {
	case "turns":
		return &e.Turns
	case "subagent_turns":
		return &e.SubagentTurns
	case "prompts":
		return &e.Prompts
	case "message_count":
		return &e.MessageCount
	case "tool_calls_total":
		return &e.ToolCallsTotal
	case "tool_errors":
		return &e.ToolErrors
	case "unresolved":
		return &e.Unresolved
	case "edited_files":
		return &e.EditedFiles
	case "compactions":
		return &e.Compactions
	case "interrupts":
		return &e.Interrupts
	case "rejections":
		return &e.Rejections
	case "api_errors":
		return &e.APIErrors
	case "code_reads":
		return &e.CodeReads
	case "graph_init":
		return &e.GraphInit
	case "graph_explore":
		return &e.GraphExplore
	case "recalls":
		return &e.Recalls
	case "files":
		return &e.Files
	}
	return nil
}

// text is the place of a text; nil for other members.
func (e *SessionEvidence) text(key []byte) texter {
	switch string(key) {
	case "started":
		return &e.Started
	case "ended":
		return &e.Ended
	case "zone":
		return &e.Zone
	case "since":
		return &e.Since
	case "until":
		return &e.Until
	case "role":
		return &e.Role
	case "project":
		return &e.Project
	case "branch_first":
		return &e.BranchFirst
	case "branch_last":
		return &e.BranchLast
	case "worktree":
		return &e.Worktree
	case "agent_version":
		return &e.AgentVersion
	case "model":
		return &e.Model
	case "profile":
		return &e.Profile
	case "config_hash":
		return &e.ConfigHash
	}
	return nil
}

// countsOf is the place of counts by name; nil for other members.
func (e *SessionEvidence) countsOf(key []byte) *[]Count {
	switch string(key) {
	case "hook_blocks":
		return &e.HookBlocks
	case "denials":
		return &e.Denials
	case "opportunities":
		return &e.Opportunities
	case "malformed":
		return &e.Malformed
	case "dropped":
		return &e.Dropped
	}
	return nil
}

func usage(v ndjson.Value, u *Usage) error {
	return object(v, u, func(key []byte, v ndjson.Value) error {
		switch string(key) {
		case "input":
			return integer(v, &u.Input)
		case "output":
			return integer(v, &u.Output)
		case "cache_read":
			return integer(v, &u.CacheRead)
		case "cache_create":
			return integer(v, &u.CacheCreate)
		}
		return nil
	})
}
