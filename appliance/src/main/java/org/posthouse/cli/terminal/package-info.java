/**
 * The process's terminal: a line of progress, lines without control characters, and what an interrupt ends ({@link
 * org.posthouse.cli.terminal.Interruption}, whose handlers run on the JVM's signal threads).
 */
package org.posthouse.cli.terminal;
