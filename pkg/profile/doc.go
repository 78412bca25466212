// Package profile holds the gate's policy as data: what a signal weighs, how
// often it may count, which words it looks for, how long a long turn is, and
// which guards are on.
//
// A profile is one JSON document in one schema. [Classic] is built in, the
// policy of the original gate to the letter; a document of one's own is loaded
// by its file name. Detectors read lexicons, limits and guards from it and
// know no weight; scoring reads weights, caps and the threshold and knows no
// word. Where both ran is told by [Profile.ConfigHash], which travels in every
// session record: numbers that come of two policies are not to be mixed.
//
// Documents are read strictly. A slip in a key would silently mean a default,
// so an unknown key is an error that names its path.
package profile
