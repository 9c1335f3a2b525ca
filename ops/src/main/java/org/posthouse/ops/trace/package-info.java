/**
 * OpenTelemetry traces of a relay's control operations: jobs with the restarts of their ranks, changes of mode, drains, links and console orders.
 * {@link org.posthouse.ops.trace.ControlTraces} is the entry. Nothing here is loaded unless {@code --traces} is given.
 */
package org.posthouse.ops.trace;
