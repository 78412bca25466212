// Command empty is what a process costs that does nothing.
package main

func main() {}
