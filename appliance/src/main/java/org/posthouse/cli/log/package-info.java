/**
 * {@code posthouse log}: lists, shows, verifies and exports the message log of a relay, and changes nothing. {@link
 * org.posthouse.cli.log.LogCommand} is the entry. All state belongs to the command's thread.
 */
package org.posthouse.cli.log;
