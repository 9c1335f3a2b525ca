/**
 * {@code posthouse doctor}: the checks of a host for a relay. Each gives {@link org.posthouse.cli.doctor.Finding}s from
 * values that it is handed, so that it is tested without a host that is ill. Only {@code DoctorCommand} reads the host.
 */
package org.posthouse.cli.doctor;
