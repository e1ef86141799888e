// Package messages decides what goes into one model call: chat messages, and what a host adds to them, under a budget.
package messages
