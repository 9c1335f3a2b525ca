/**
 * {@code posthouse jobs}: lists, shows and aborts the jobs of a running relay through its console's API, and prints what a
 * job's folder has kept of its ranks' output. All state belongs to the command's thread.
 */
package org.posthouse.cli.jobs;
