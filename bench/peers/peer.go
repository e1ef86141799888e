package main

import (
	"runtime"
	"time"
)

// A Peer is one way of fitting the sections of an input into its budget.
type Peer struct {
	Name  string
	Rival bool // what Quire is held against: not Quire itself, and not the least that there is to do

	// Run fits them so many times, and returns the time of one run and, where it is to be shown, the texts of the prompt.
	Run func(runs int, show bool) (time.Duration, []string, error)
}

// First runs it once.
func (p Peer) First() (time.Duration, []string, error) { return p.Run(1, true) }

// Sample returns the time of one run, from many in a row.
func (p Peer) Sample(runs int) (time.Duration, error) {
	took, _, err := p.Run(runs, false)
	return took, err
}

// native returns a peer in this process. It does not pay for the garbage of the one before it.
func native(name string, rival bool, fit func() ([]string, error)) Peer {
	return Peer{Name: name, Rival: rival, Run: func(runs int, show bool) (time.Duration, []string, error) {
		var prompt []string
		runtime.GC()
		if !show { // a collection leaves nothing in the processor's caches
			if _, err := fit(); err != nil {
				return 0, nil, err
			}
		}
		begin := time.Now()
		for range runs {
			var err error
			if prompt, err = fit(); err != nil {
				return 0, nil, err
			}
		}
		return time.Since(begin) / time.Duration(runs), prompt, nil
	}}
}
