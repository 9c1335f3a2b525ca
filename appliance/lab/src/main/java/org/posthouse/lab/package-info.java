/**
 * The commands of the lab, {@code posthouse bench} and {@code posthouse chaos}: one class a subcommand, as in
 * {@code org.posthouse.cli}, which finds them by {@link org.posthouse.lab.LabCommands}. They read options, and call
 * the benches and campaigns that do the work. All state belongs to the command's thread.
 */
package org.posthouse.lab;
