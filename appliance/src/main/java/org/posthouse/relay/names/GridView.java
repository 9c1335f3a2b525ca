package org.posthouse.relay.names;

import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The grid as a relay's directory has it, for the records of the elected relay. Thread-safe.
 *
 * @param members the relays that are there, each with a description in words such as {@code address=h:1 nodes=2}
 * @param jobs the fields of each open job's record, by its number in hexadecimal digits; made elsewhere, as a grid may have many ranks
 * @param isJobOver whether nothing is known of a job any more; in hexadecimal digits
 */
public record GridView(Supplier<SortedMap<String, String>> members, Supplier<CompletionStage<Map<String, Map<String, String>>>> jobs,
        Predicate<String> isJobOver) {}
