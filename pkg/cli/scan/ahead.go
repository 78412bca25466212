package scan

import (
	"retro/pkg/detect"
	"retro/pkg/transcript"
)

// aheadSessions is how many sessions are read before the one whose records are
// written next. What is kept of each is small, and with few of them one huge
// session would hold up all workers: with two each, a set with a fifth of its
// bytes in one file gained 1.36x on two processors.
const aheadSessions = 256

// heavyParts is how many parts of the whole, a worker, make a session heavy. Heavy
// ones are begun first, or the last of them would be read by one worker while the
// others have nothing left to do: with a fifth of the bytes in the last file two
// processors gained 1.65x instead of 1.9x.
const heavyParts = 8

// task is a session for a worker, and the promise that it keeps.
type task struct {
	session *transcript.Session
	promise *promise
}

// ahead starts the workers and returns, in the order of the sessions, a promise
// of what comes of each. Closing stop ends it.
//
// One worker takes the sessions in their order, so that what is waited for is always
// being read; the others take the heavy ones first, in their order too: one of
// them may have to wait with its output, and must not wait for one behind it.
func (w *work) ahead(sessions []*transcript.Session, jobs int, stop <-chan struct{}) <-chan *promise {
	light := make(chan task)
	promises := make(chan *promise, aheadSessions)
	heavy, begun := heavyOnes(sessions, jobs)
	for n := range jobs {
		go func() {
			order := []<-chan task{heavy, light}
			if n == 0 {
				order = []<-chan task{light, heavy}
			}
			var buffers detect.Buffers
			for _, tasks := range order {
				for t := range tasks {
					w.keep(t, &buffers, stop)
				}
			}
		}()
	}
	go func() {
		defer close(promises)
		defer close(light)
		for i, s := range sessions {
			p, isHeavy := begun[i]
			if !isHeavy {
				p = newPromise()
			}
			select {
			case promises <- p:
			case <-stop:
				return
			}
			if isHeavy {
				continue
			}
			select {
			case light <- task{s, p}:
			case <-stop:
				return
			}
		}
	}()
	return promises
}

// heavyOnes are the sessions that are begun first, none for one worker, and their
// promises by place.
func heavyOnes(sessions []*transcript.Session, jobs int) (tasks <-chan task, promises map[int]*promise) {
	whole := int64(0)
	for _, s := range sessions {
		whole += s.Main.Size
	}
	var heavy []task
	promises = map[int]*promise{}
	for i, s := range sessions {
		if jobs > 1 && s.Main.Size > 0 && s.Main.Size >= whole/int64(heavyParts*jobs) {
			promises[i] = newPromise()
			heavy = append(heavy, task{s, promises[i]})
		}
	}
	queue := make(chan task, len(heavy))
	for _, t := range heavy {
		queue <- t
	}
	close(queue)
	return queue, promises
}

// keep reads the session of a task.
func (w *work) keep(t task, buffers *detect.Buffers, stop <-chan struct{}) {
	out := &output{to: t.promise.pieces, stop: stop}
	t.promise.done = w.one(t.session, buffers, out)
	out.flush()
	close(t.promise.pieces)
}
