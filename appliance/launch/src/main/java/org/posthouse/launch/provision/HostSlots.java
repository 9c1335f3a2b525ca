package org.posthouse.launch.provision;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A host that may run ranks.
 *
 * @param host its name or address, perhaps with {@code USER@} before it; an IPv6 address has no brackets
 * @param slots ranks that it may run; empty if nobody says, so that its agent decides
 * @param maxSlots ranks that it may run at most, if ranks may share processors
 * @param site the site whose relay its agent dials
 */
public record HostSlots(String host, OptionalInt slots, OptionalInt maxSlots, Optional<String> site) {}
