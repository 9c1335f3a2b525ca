package org.posthouse.launch.place;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.posthouse.launch.job.JobFailure;

/**
 * The sites that a job may use, and how many of its ranks each of them gets ({@code --sites a,b} or {@code a:8,b:4}).
 * Ranks with a number are numbered in the order in which their sites are named, and all copies of a rank are at its
 * site.
 *
 * @param ranks by site, in the order of the option; {@link #ANY} for all sites or for none; empty: every site is allowed
 */
public record SiteRestriction(Map<String, Integer> ranks) {
    /** In place of a number of ranks: as many as placement puts there. */
    public static final int ANY = -1;

    /** No restriction. */
    public static final SiteRestriction NONE = new SiteRestriction(Map.of());

    public SiteRestriction {
        ranks = Collections.unmodifiableMap(new LinkedHashMap<>(ranks));
    }

    /**
     * @param option {@code a,b} or {@code a:8,b:4}
     * @throws JobFailure in one line, if it is neither
     */
    public static SiteRestriction parse(String option) throws JobFailure {
        Map<String, Integer> ranks = new LinkedHashMap<>();
        for (String part : option.split(",", -1)) {
            String[] words = part.strip().split(":", -1);
            if (words[0].isEmpty() || words.length > 2) {
                throw new JobFailure("--sites " + option + ": '" + part + "' is not SITE or SITE:RANKS");
            }
            if (ranks.put(words[0], words.length == 1 ? ANY : number(option, words[1])) != null) {
                throw new JobFailure("--sites " + option + ": site " + words[0] + " twice");
            }
        }
        if (ranks.containsValue(ANY) && ranks.values().stream().anyMatch(number -> number != ANY)) {
            throw new JobFailure("--sites " + option + ": give the number of ranks for all sites or for none");
        }
        return new SiteRestriction(ranks);
    }

    private static int number(String option, String word) throws JobFailure {
        if (!word.matches("[1-9][0-9]{0,8}")) {
            throw new JobFailure("--sites " + option + ": '" + word + "' is not a number of ranks from 1");
        }
        return Integer.parseInt(word);
    }

    /** Whether each site has its number of ranks. */
    boolean isExact() {
        return !ranks.isEmpty() && !ranks.containsValue(ANY);
    }

    boolean allows(String site) {
        return ranks.isEmpty() || ranks.containsKey(site);
    }

    /** Sum of the sites' numbers of ranks. */
    long sum() {
        return ranks.values().stream().mapToLong(Integer::longValue).sum();
    }
}
