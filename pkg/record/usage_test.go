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
		{-5, 7, 7},
		{math.MinInt64, math.MinInt64, 0},
	} {
		got := Usage{Input: tt.a, CacheCreate: tt.a}
		got.Add(Usage{Input: tt.b, CacheCreate: tt.b})
		if want := (Usage{Input: tt.want, CacheCreate: tt.want}); got != want {
			t.Errorf("%d + %d: got %+v, want %+v", tt.a, tt.b, got, want)
		}
		if got.Total() < got.Input {
			t.Errorf("%d + %d: total %d is less than a part of it", tt.a, tt.b, got.Total())
		}
	}
}
