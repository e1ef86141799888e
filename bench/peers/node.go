package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A Node is a process that runs the peers in JavaScript on one input.
type Node struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	send    *json.Encoder
	receive *json.Decoder
}

// StartNode writes the input into the folder and starts peers.mjs there.
func StartNode(folder string, in Input) (*Node, error) {
	src, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "input.json"), src, 0o644); err != nil {
		return nil, err
	}
	command := exec.Command("node", "peers.mjs", "input.json")
	command.Dir, command.Stderr = folder, os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &Node{command, stdin, json.NewEncoder(stdin), json.NewDecoder(stdout)}, nil
}

// Stop ends the process.
func (n *Node) Stop() {
	n.stdin.Close()
	n.command.Wait()
}

// Peers returns the peers that peers.mjs knows.
func (n *Node) Peers() []Peer {
	names := []string{"prompt-tsx, one message", "prompt-tsx, N messages", "priompt, one message", "priompt, N messages",
		"langchain trimMessages", "drop-oldest loop, JavaScript"}
	peers := make([]Peer, len(names))
	for i, name := range names {
		peers[i] = Peer{Name: name, Rival: true, Run: func(runs int, show bool) (time.Duration, []string, error) {
			return n.ask(name, runs, show)
		}}
	}
	return peers
}

func (n *Node) ask(peer string, runs int, show bool) (time.Duration, []string, error) {
	request := struct {
		Peer string `json:"peer"`
		Runs int    `json:"runs"`
		Show bool   `json:"show"`
	}{peer, runs, show}
	var answer struct {
		Nanoseconds time.Duration `json:"nanoseconds"`
		Prompt      []string      `json:"prompt"`
	}
	if err := n.send.Encode(request); err != nil {
		return 0, nil, fmt.Errorf("peers.mjs: %w", err)
	}
	if err := n.receive.Decode(&answer); err != nil {
		return 0, nil, fmt.Errorf("peers.mjs gives no answer: %w", err)
	}
	return answer.Nanoseconds, answer.Prompt, nil
}
