// Package report says in words what the records say in numbers.
//
// A report is arranged, then printed. A [Builder] takes the records of a
// stream, whatever their kind, and keeps what some section of the report is
// about; [Builder.Report] arranges them into a [Report], whose sections are
// plain data; [Report.WriteMarkdown] prints it. Unknown kinds are ignored.
//
// What comes out of a transcript is never Markdown: ids stand in code spans and
// text is escaped, so that a cell stays a cell.
package report
