package record

import (
	"math"
	"testing"
)

func TestUsageAddStaysInRange(t *testing.T) {
	for _, tt := range []struct{ a, b, want int64 }{
		{1, 2, 3},
		{math.MaxInt64, math.MaxInt64, maxTokens},
		{maxTokens - 1, 1, maxTokens},
		{7, -5, 2},
		{math.MinInt64, math.MinInt64, -maxTokens},
	} {
		got := Usage{Input: tt.a, CacheCreate: tt.a}
		got.Add(Usage{Input: tt.b, CacheCreate: tt.b})
		if want := (Usage{Input: tt.want, CacheCreate: tt.want}); got != want {
			t.Errorf("%d + %d: got %+v, want %+v", tt.a, tt.b, got, want)
		}
		if got, want := got.Total(), tokens(2*tt.want); got != want {
			t.Errorf("%d + %d: total is %d, want %d", tt.a, tt.b, got, want)
		}
	}
}
