package record

import "strconv"

// appendJSON appends the evidence as the library writes it: the order of the members
// is that of the struct.
func (e *SessionEvidence) appendJSON(dst []byte) []byte {
	dst = appendOrNull(append(dst, `{"started":`...), e.Started.text)
	dst = appendOrNull(append(dst, `,"ended":`...), e.Ended.text)
	dst = appendList(append(dst, `,"active_days":`...), e.ActiveDays, func(dst []byte, d *Day) []byte { return appendOrNull(dst, d.text) })
	dst = appendText(append(dst, `,"zone":`...), e.Zone.text)
	dst = appendUnlessEmpty(dst, `,"since":`, e.Since.word)
	dst = appendUnlessEmpty(dst, `,"until":`, e.Until.word)
	dst = appendNumber(append(dst, `,"turns":`...), e.Turns)
	dst = appendNumber(append(dst, `,"subagent_turns":`...), e.SubagentTurns)
	dst = appendNumber(append(dst, `,"prompts":`...), e.Prompts)
	dst = appendNumber(append(dst, `,"message_count":`...), e.MessageCount)
	dst = e.Usage.appendJSON(append(dst, `,"usage":`...))
	dst = strconv.AppendInt(append(dst, `,"start_context":`...), e.StartContext, 10)
	dst = appendCounts(append(dst, `,"tools_used":`...), e.ToolsUsed)
	dst = appendNumber(append(dst, `,"tool_calls_total":`...), e.ToolCallsTotal)
	dst = appendNumber(append(dst, `,"tool_errors":`...), e.ToolErrors)
	dst = appendNumber(append(dst, `,"unresolved":`...), e.Unresolved)
	dst = appendNumber(append(dst, `,"edited_files":`...), e.EditedFiles)
	dst = appendList(append(dst, `,"skills_invoked":`...), e.Skills, func(dst []byte, n *Name) []byte { return appendText(dst, n.text) })
	dst = appendUnlessEmpty(dst, `,"role":`, e.Role.word)
	dst = e.appendEvents(dst)
	dst = e.appendPlace(dst)
	dst = strconv.AppendInt(append(dst, `,"source_bytes":`...), e.SourceBytes, 10)
	dst = appendNumber(append(dst, `,"files":`...), e.Files)
	dst = appendSomeCounts(dst, `,"malformed":`, e.Malformed)
	dst = appendSomeCounts(dst, `,"dropped":`, e.Dropped)
	dst = appendIfTrue(dst, `,"live":`, e.Live)
	return append(dst, '}')
}

// appendEvents appends what happened in the session.
func (e *SessionEvidence) appendEvents(dst []byte) []byte {
	dst = appendNumber(append(dst, `,"compactions":`...), e.Compactions)
	dst = appendNumber(append(dst, `,"interrupts":`...), e.Interrupts)
	dst = appendNumber(append(dst, `,"rejections":`...), e.Rejections)
	dst = appendNumber(append(dst, `,"api_errors":`...), e.APIErrors)
	dst = appendSomeCounts(dst, `,"hook_blocks":`, e.HookBlocks)
	dst = appendSomeCounts(dst, `,"denials":`, e.Denials)
	dst = appendNumber(append(dst, `,"code_reads":`...), e.CodeReads)
	dst = appendNumber(append(dst, `,"graph_init":`...), e.GraphInit)
	dst = appendNumber(append(dst, `,"graph_explore":`...), e.GraphExplore)
	dst = appendNumber(append(dst, `,"recalls":`...), e.Recalls)
	dst = appendSomeCounts(dst, `,"opportunities":`, e.Opportunities)
	return appendIfTrue(dst, `,"rules_off":`, e.RulesOff)
}

// appendPlace appends where and under what the session ran.
func (e *SessionEvidence) appendPlace(dst []byte) []byte {
	dst = strconv.AppendBool(append(dst, `,"graph_db_present":`...), e.GraphDBPresent)
	if len(e.Facts) > 0 {
		dst = appendList(append(dst, `,"facts":`...), e.Facts, func(dst []byte, i *Identifier) []byte { return appendText(dst, i.text) })
	}
	dst = appendUnlessEmpty(dst, `,"project":`, e.Project.word)
	dst = appendUnlessEmpty(dst, `,"branch_first":`, e.BranchFirst.word)
	dst = appendUnlessEmpty(dst, `,"branch_last":`, e.BranchLast.word)
	dst = appendUnlessEmpty(dst, `,"worktree":`, e.Worktree.word)
	dst = appendUnlessEmpty(dst, `,"agent_version":`, e.AgentVersion.word)
	dst = appendUnlessEmpty(dst, `,"model":`, e.Model.word)
	dst = strconv.AppendBool(append(dst, `,"interactive":`...), e.Interactive)
	dst = appendText(append(dst, `,"profile":`...), e.Profile.text)
	return appendText(append(dst, `,"config_hash":`...), e.ConfigHash.text)
}

func (u Usage) appendJSON(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"input":`...), u.Input, 10)
	dst = strconv.AppendInt(append(dst, `,"output":`...), u.Output, 10)
	dst = strconv.AppendInt(append(dst, `,"cache_read":`...), u.CacheRead, 10)
	dst = strconv.AppendInt(append(dst, `,"cache_create":`...), u.CacheCreate, 10)
	return append(dst, '}')
}

func appendCounts(dst []byte, counts []Count) []byte {
	return appendList(dst, counts, func(dst []byte, c *Count) []byte {
		dst = appendText(append(dst, `{"name":`...), c.Name.text)
		return append(appendNumber(append(dst, `,"count":`...), c.Count), '}')
	})
}

func appendSomeCounts(dst []byte, key string, counts []Count) []byte {
	if len(counts) == 0 {
		return dst
	}
	return appendCounts(append(dst, key...), counts)
}

func appendUnlessEmpty(dst []byte, key string, w word) []byte {
	if w.text == "" {
		return dst
	}
	return appendText(append(dst, key...), w.text)
}

func appendIfTrue(dst []byte, key string, is bool) []byte {
	if !is {
		return dst
	}
	return append(append(dst, key...), "true"...)
}
