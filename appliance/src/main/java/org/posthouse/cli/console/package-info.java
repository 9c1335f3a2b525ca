/**
 * The client of a running relay's console, for the commands that ask it. {@link
 * org.posthouse.cli.console.ConsoleOptions} is the entry. All state belongs to the command's thread.
 */
package org.posthouse.cli.console;
