package org.posthouse.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a job is run, where tests compare different ways.
 *
 * @param logged whether messages and deliveries are logged
 * @param algorithm what {@code POSTHOUSE_COLLECTIVES} forces, as {@code bcast=chain}; empty if the library chooses
 * @param eagerMaxBytes what {@code POSTHOUSE_EAGER_MAX} says; 0 if the library chooses
 */
public record Variant(boolean logged, String algorithm, int eagerMaxBytes) {
    private static final String COLLECTIVES = "POSTHOUSE_COLLECTIVES";
    private static final String EAGER_MAX = "POSTHOUSE_EAGER_MAX";

    /** Every combination, in the order given. */
    public static List<Variant> all(List<Boolean> logged, List<String> algorithms, List<Integer> eagerMaxBytes) {
        List<Variant> variants = new ArrayList<>();
        for (boolean log : logged) {
            for (String algorithm : algorithms) {
                for (int bytes : eagerMaxBytes) {
                    variants.add(new Variant(log, algorithm, bytes));
                }
            }
        }
        return variants;
    }

    /** What the ranks' environment says of it. */
    Map<String, String> environment() {
        Map<String, String> variables = new LinkedHashMap<>();
        if (!algorithm.isEmpty()) {
            variables.put(COLLECTIVES, algorithm);
        }
        if (eagerMaxBytes > 0) {
            variables.put(EAGER_MAX, Integer.toString(eagerMaxBytes));
        }
        return variables;
    }

    String durability() {
        return logged ? "process" : "none";
    }

    /** In a table and in a plot's legend. */
    String label() {
        return durability() + (algorithm.isEmpty() ? "" : " " + algorithm)
                + (eagerMaxBytes == 0 ? "" : " eager " + SizeList.text(eagerMaxBytes));
    }
}
