package org.posthouse.examples;

import java.util.Arrays;
import java.util.Locale;

/**
 * Patterns that come with the example, and what is known of them: how many cells live after how many generations on a
 * board without an end. A torus gives the same if it is so large that nothing has come round to what it left behind.
 */
enum LifePattern {
    /** Travels one cell down and one right in four generations. */
    GLIDER("bob$2bo$3o!", 400, 5, 64),
    /** Five cells that take 1103 generations to come to rest; six gliders have escaped by then. */
    R_PENTOMINO("b2o$2o$bo!", 1103, 116, 640),
    /** Dies out in generation 130. */
    DIEHARD("6bo$2o$bo3b3o!", 130, 0, 64),
    /** Seven cells that take 5206 generations to come to rest. */
    ACORN("bo$3bo$2o2b3o!", 5206, 633, 2816),
    /** Throws a glider of five cells every 30 generations, beginning with 36 cells. */
    GOSPER_GUN("24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!",
            600, 36 + 20 * 5, 384);

    private final String rle;
    private final int generations;
    private final long population;
    private final int side;

    LifePattern(String rle, int generations, long population, int side) {
        this.rle = rle;
        this.generations = generations;
        this.population = population;
        this.side = side;
    }

    /** The pattern that a user calls {@code word}; complains with the names that there are. */
    static LifePattern named(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no pattern '" + word + "', expected one of "
                        + Arrays.stream(values()).map(LifePattern::word).toList()));
    }

    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The pattern's cells in run-length encoding, without a header. */
    String rle() {
        return rle;
    }

    /** The generation whose population is known. */
    int generations() {
        return generations;
    }

    /** Living cells then. */
    long population() {
        return population;
    }

    /** Rows and columns of a square board that is large enough to have that population then. */
    int side() {
        return side;
    }
}
