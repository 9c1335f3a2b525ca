/**
 * The {@code posthouse} command: one class a subcommand. It reads options, says what is wrong with them in one
 * line, and calls the rooms that do the work. What commands share is in packages of its own, which use no command.
 * It owns nothing but the process's exit status.
 */
package org.posthouse.cli;
