/**
 * Reservation of slots on nodes: the agent's side ({@link org.posthouse.launch.reserve.SlotLedger}) and the launcher's
 * ({@link org.posthouse.launch.reserve.ReservationRound}).
 *
 * <p>Pure: no thread, clock, socket or file. Each object is confined to its caller, which passes the time in and carries
 * out the steps that come out. Source: the P2P-MPI chapter, section 3.2 (reservation, J, P, overbooking).
 */
package org.posthouse.launch.reserve;
