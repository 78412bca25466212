package record

import "math"

// Rate is a share with what it stands on: Count of N, and the 95 % Wilson
// score interval. A share of nothing is null, not zero. Fractions are rounded
// to four decimals.
type Rate struct {
	Count int      `json:"count"`
	N     int      `json:"n"`
	Rate  *float64 `json:"rate"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// NewRate is the rate of count in n.
func NewRate(count, n int) Rate {
	r := Rate{Count: count, N: n}
	if n <= 0 {
		return r
	}
	const z = 1.959963984540054 // two-sided 95 %
	p, m := float64(count)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	r.Rate, r.Low, r.High = fraction(p), fraction(max(0, middle-half)), fraction(min(1, middle+half))
	return r
}

func fraction(x float64) *float64 {
	x = math.Round(x*1e4) / 1e4
	return &x
}
