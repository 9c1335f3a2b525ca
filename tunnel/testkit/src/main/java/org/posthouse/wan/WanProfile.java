package org.posthouse.wan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Sites, and what lies between each two of them, the same in both directions. Immutable.
 *
 * @param name for people
 * @param sites in the order of the tables
 * @param shapes by the names of two sites, either first
 */
public record WanProfile(String name, List<String> sites, Map<List<String>, WanShape> shapes) {
    /** The relay paper, figures 10 and 11: Mb/s, and milliseconds one way (half a round trip, as NetPIPE measures it). */
    public static final WanProfile GRID5000 = new WanProfile(
            "grid5000",
            List.of("orsay", "rennes", "bordeaux", "sophia"),
            Map.of(
                    List.of("orsay", "rennes"), WanShape.of(4.70542, 95.376749),
                    List.of("orsay", "bordeaux"), WanShape.of(4.10875, 108.072588),
                    List.of("orsay", "sophia"), WanShape.of(8.61752, 42.425423),
                    List.of("rennes", "bordeaux"), WanShape.of(4.00316, 110.025962),
                    List.of("rennes", "sophia"), WanShape.of(9.06626, 40.150269),
                    List.of("bordeaux", "sophia"), WanShape.of(5.14608, 68.054155)));

    /** Two continents: 100 ms of round trip, and 10 Gb/s or what the machine can, whichever is less. */
    public static final WanProfile MODERN =
            new WanProfile("modern", List.of("east", "west"), Map.of(List.of("east", "west"), WanShape.of(50, 10_000)));

    /** Two sites with nothing between them. */
    public static final WanProfile NONE = new WanProfile(
            "none", List.of("site-a", "site-b"), Map.of(List.of("site-a", "site-b"), WanShape.NONE));

    /** All of them. */
    public static List<WanProfile> all() {
        return List.of(GRID5000, MODERN, NONE);
    }

    public WanProfile {
        sites = List.copyOf(sites);
        shapes = Map.copyOf(shapes);
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < sites.size(); i++) {
            for (String other : sites.subList(i + 1, sites.size())) {
                if (!shapes.containsKey(List.of(sites.get(i), other))) {
                    missing.add(sites.get(i) + " - " + other);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("profile " + name + " says nothing of " + missing);
        }
    }

    /** What lies between two sites of the profile. @throws IllegalArgumentException if it has no such two */
    public WanShape between(String one, String other) {
        WanShape shape = shapes.get(List.of(one, other));
        shape = shape == null ? shapes.get(List.of(other, one)) : shape;
        if (shape == null) {
            throw new IllegalArgumentException("profile " + name + " has nothing between " + one + " and " + other);
        }
        return shape;
    }

    /** The same as near and as broad as the machine is. */
    public WanProfile unshaped() {
        Map<List<String>, WanShape> none = new HashMap<>();
        shapes.keySet().forEach(pair -> none.put(pair, WanShape.NONE));
        return new WanProfile(name, sites, none);
    }

    /** The broadest bandwidth; 0 if there is none. */
    public double megabitsMax() {
        return shapes.values().stream().mapToLong(WanShape::bytesPerSecond).max().orElse(0) * 8 / 1e6;
    }

    /** The same with each bandwidth multiplied, for a machine that cannot carry the real one. */
    public WanProfile scaled(double factor) {
        Map<List<String>, WanShape> scaled = new HashMap<>();
        shapes.forEach((pair, shape) -> scaled.put(
                pair, new WanShape(shape.delayNanos(), shape.jitterNanos(), Math.round(shape.bytesPerSecond() * factor))));
        return new WanProfile(name, sites, scaled);
    }

    /** The same with everything up to {@code milliseconds} later, each piece anew. */
    public WanProfile jitter(double milliseconds) {
        Map<List<String>, WanShape> later = new HashMap<>();
        shapes.forEach((pair, shape) -> later.put(pair, shape.jitter(milliseconds)));
        return new WanProfile(String.format(Locale.ROOT, "%s, up to %s ms more", name, milliseconds), sites, later);
    }
}
