package org.posthouse.cli.top;

/** What a page shows beneath its head. */
enum TopView {
    GRID('g', "grid"), RANKS('r', "ranks"), NODES('n', "nodes"), EVENTS('e', "events");

    private final char key;
    private final String title;

    TopView(char key, String title) {
        this.key = key;
        this.title = title;
    }

    /** The key that chooses it. */
    char key() {
        return key;
    }

    /** Its name, which begins with its key. */
    String title() {
        return title;
    }
}
