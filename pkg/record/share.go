package record

// Share ends what one run wrote with --partial, so that one which was cut, even at
// the end of a line, is told from a smaller one.
type Share struct {
	BucketHead
	Episodes int `json:"episodes"` // those before it
}

// NewShare is the end of a partial with so many episodes.
func NewShare(episodes int) *Share { return &Share{NewBucketHead(BucketShare), episodes} }
