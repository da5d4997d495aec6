package dev.foretoken.sim.oracle;

import java.util.Locale;

/**
 * Arithmetic in one variable, as the oracle rows write costs and series: + - * / mod, powers (^ or **), brackets, exp, log,
 * sqrt, floor, ceil, min, max.
 */
final class Expression {
    private final String text;
    private final String variable;
    private double value;
    private int at;

    private Expression(String text, String variable) {
        this.text = text;
        this.variable = variable;
    }

    static double evaluate(String text, String variable, double value) {
        Expression e = new Expression(text.toLowerCase(Locale.ROOT), variable);
        e.value = value;
        double result = e.sum();
        e.space();
        if (e.at != text.length()) {
            throw new IllegalArgumentException("cannot read '" + text.substring(e.at) + "' in " + text);
        }
        return result;
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean take(String token) {
        space();
        if (text.startsWith(token, at)) {
            at += token.length();
            return true;
        }
        return false;
    }

    private double sum() {
        double x = product();
        while (true) {
            if (take("+")) {
                x += product();
            } else if (take("-")) {
                x -= product();
            } else {
                return x;
            }
        }
    }

    private double product() {
        double x = signed();
        while (true) {
            space();
            if (text.startsWith("**", at)) {
                return x;
            } else if (take("*")) {
                x *= signed();
            } else if (take("//")) {
                x = Math.floor(x / signed());
            } else if (take("/")) {
                x /= signed();
            } else if (take("mod") || take("%")) {
                double m = signed();
                x -= m * Math.floor(x / m);
            } else {
                return x;
            }
        }
    }

    private double signed() {
        if (take("-")) {
            return -signed();
        }
        double x = atom();
        return take("**") || take("^") ? Math.pow(x, signed()) : x;
    }

    private double atom() {
        space();
        if (take("(")) {
            double x = sum();
            expect(")");
            return x;
        }
        int from = at;
        while (at < text.length() && Character.isLetter(text.charAt(at))) {
            at++;
        }
        String name = text.substring(from, at);
        if (name.isEmpty()) {
            return number();
        }
        if (name.equals(variable)) {
            return value;
        }
        expect("(");
        double x = sum();
        double result = name.equals("min") || name.equals("max") ? extreme(name, x) : function(name, x);
        expect(")");
        return result;
    }

    private double extreme(String name, double first) {
        double x = first;
        while (take(",")) {
            double y = sum();
            x = name.equals("min") ? Math.min(x, y) : Math.max(x, y);
        }
        return x;
    }

    private double function(String name, double x) {
        return switch (name) {
            case "exp" -> Math.exp(x);
            case "log" -> Math.log(x);
            case "sqrt" -> Math.sqrt(x);
            case "floor" -> Math.floor(x);
            case "ceil" -> Math.ceil(x);
            case "abs" -> Math.abs(x);
            case "sin" -> Math.sin(x);
            case "cos" -> Math.cos(x);
            default -> throw new IllegalArgumentException("unknown function " + name + " in " + text);
        };
    }

    private double number() {
        int from = at;
        while (at < text.length()
                && (Character.isDigit(text.charAt(at))
                        || text.charAt(at) == '.'
                        || (text.charAt(at) == 'e' && at > from)
                        || ((text.charAt(at) == '-' || text.charAt(at) == '+')
                                && at > from
                                && text.charAt(at - 1) == 'e'))) {
            at++;
        }
        return Double.parseDouble(text.substring(from, at));
    }

    private void expect(String token) {
        if (!take(token)) {
            throw new IllegalArgumentException("expected '" + token + "' at " + at + " in " + text);
        }
    }
}
