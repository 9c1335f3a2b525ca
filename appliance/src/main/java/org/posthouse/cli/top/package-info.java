/**
 * {@code posthouse top}: the grid in a terminal, redrawn every few seconds. {@link org.posthouse.cli.top.TopCommand} is the entry. {@code TopPage} draws
 * and is pure; {@code TopTerminal} owns the terminal. All state belongs to the command's thread.
 */
package org.posthouse.cli.top;
